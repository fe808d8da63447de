/** What the player is sent and tells. Generated from ../../protocol.py by `python -m tests.declarations`. */

/** One step: its segment, where it is in the text, what happened, and the nodes it is about. */
export interface Step {
  phase: number;
  cell: number;
  span: [number, number, number, number] | null;
  caption: ([string, 'code' | 'grad' | 'plain' | 'strong'])[];
  focus: string[];
}

/** Whole numbers of two or four bytes, as base64. */
export interface Column {
  bytes: number;
  data: string;
}

/** Where each step is in the program, as rows of a table of (cell, span). */
export interface Steps {
  total: number;
  sites: Column;
  table: ([number, [number, number, number, number] | null])[];
}

/** A run of steps, both ends included; `kind` is "forward", "backward" or "other". */
export interface Segment {
  label: string;
  kind: string;
  from: number;
  to: number;
}

/** The first steps of the segments, and their labels and kinds as rows of a table. */
export interface Segments {
  from: Column;
  name: Column;
  names: [string, string][];
}

/** What the player needs to find nodes that are not on show. */
export interface Index {
  /** Id, title, row of the one around it or -1. */
  groups: [string, string, number][];
  /** Key, row of the innermost group or -1, title, badge, sub, op, since when it is not finite or -1. */
  rows: [string, number, string, string, string, string, number][];
}

/** A backward pass; visits are card or None, name, ready, began, ran, arrivals, in the order in which they ran. */
export interface Queue {
  number: number;
  from: number;
  to: number;
  visits: ([string | null, string, number, number, number, number[]])[];
}

/** What is known of the whole run, whatever of its graph is on show: of a rolled one in columns. */
export interface Run {
  steps: Step[] | Steps;
  segments: Segment[] | Segments;
  /** Last steps of the visits to source lines. */
  lines: number[] | Column;
  passes: number;
  index: Index;
  queues: Queue[];
}

/** An open group. */
export interface Group {
  id: string;
  title: string;
}

/** Whether there are groups, and which of those on show are open. */
export interface Fold {
  any: boolean;
  opened: Group[];
}

/** What the legend says of cards (`tone`), edges (`edge`) or marks (`mark`) on show. */
export interface LegendEntry {
  label: string;
  tone?: string;
  edge?: string;
}

/** What a node shows; None means the line is absent. */
export interface Face {
  value: string;
  grad?: string | null;
  gradLabel?: string;
  /** The gradient that has reached the node in the running pass: `4 + 3 + …` while more is to come. */
  flow?: string | null;
  flowNote?: string;
  /** One of `STATES`. */
  state?: string;
  /** Where the tensor's name is no longer the node's title. */
  title?: string | null;
  valueLabel?: string;
}

/** A card's value and gradient over the iterations of its loop, evenly spread, and where it is not finite. */
export interface Spark {
  value: (number | null)[] | null;
  grad: (number | null)[] | null;
  bad: [number, string][];
}

/** A parameter that stands in the card of what uses it. */
export interface Row {
  key: string;
  title: string;
  tone: string;
  badge: string;
  sub: string;
  born: number;
  spark: Spark | null;
  history: [number, Face][];
  sites: number[];
  changes: number[];
  grads: [number, number][];
  op: string;
}

/** A node on show. `x` and `y` are its middle; of a sketch nothing is known but where it stands and what it is called. */
export interface Card {
  id: string;
  x: number;
  y: number;
  w: number;
  h: number;
  shape: string;
  tone: string;
  title: string;
  badge: string;
  sub: string;
  born: number;
  /** How many nodes a closed group stands for. */
  members: number;
  /** Which of the palette's colours the user has given it. */
  colour: number;
  history: [number, Face][];
  op: string;
  /** Steps at which it changes. */
  changes: number[];
  /** Where it is in the program, as keys of the picture's `sites`. */
  sites: number[];
  /** Steps, and the norm of `.grad` from then on; -1 for None, -2 for what is not finite. */
  grads: [number, number][];
  /** The backward pass that recorded it. */
  pass: number;
  /** Since when it is not finite, */
  alarm: number | null;
  /** and since when it holds NaN. */
  nan: number | null;
  /** Titles of the findings about something in a closed group. */
  findings: string[];
  /** Of a rolled run: the loop that it belongs to, */
  loop: string;
  /** how often it is there within an iteration, */
  times: number;
  /** and in how many iterations, "" for all. */
  some: string;
  /** When what it shows was made: the last time before the window that its history is of, and each time in it. */
  made: number[];
  spark: Spark | null;
  /** The parameters in a closed group's card, as many as there is room for, */
  rows: Row[];
  /** and how many there are. */
  parameters: number;
}

/** What an edge shows: whether a gradient passes at this very step, and which. */
export interface EdgeFace {
  active: boolean;
  label?: string;
  norm?: number | null;
}

/** An edge on show, along its route. */
export interface Line {
  id: string;
  from: string;
  to: string;
  route: [number, number][];
  kind: string;
  born: number;
  far: boolean;
  history: [number, EdgeFace][];
  /** Whether it leads to the next iteration. */
  carried: boolean;
  some: string;
}

/** Where vis-network has a node; the player draws it. */
export interface NetworkNode {
  id: string;
  x: number;
  y: number;
  shape: string;
  physics: boolean;
}

/** An edge as vis-network has it. */
export interface NetworkEdge {
  id: string;
  from: string;
  to: string;
}

/** Nodes, edges and options as pyvis's Network has them, which vis-network takes over. */
export interface VisNetwork {
  nodes: NetworkNode[];
  edges: NetworkEdge[];
  options: Record<string, any>;
}

/** A loop, with its iterations in order of time. */
export interface Loop {
  id: string;
  /** As the program has it: "for bx, by in loader". */
  title: string;
  /** Its line in words, in a notebook with its cell; "" where it is not known. */
  where: string;
  /** The loop around it, or "" for none. */
  parent: string;
  kind: 'depth' | 'time';
  /** Why it is the one or the other, in a sentence. */
  reason: string;
  /** Iterations in all. */
  total: number;
  /** The first step of each, */
  starts: number[];
  /** the last one, */
  ends: number[];
  /** and the iteration of the time loop around it, or -1. */
  outer: number[];
  /** Whether a card on show belongs to it. */
  shown: boolean;
}

/** The frame behind the cards of a time loop; `x` and `y` are its middle. */
export interface Frame {
  loop: string;
  x: number;
  y: number;
  w: number;
  h: number;
  title: string;
  nodes: number;
}

/** A number for each iteration of the main loop; None where there is none that is finite. */
export interface Curve {
  name: string;
  /** "loss", "gradient", "rate", or "" for whatever colour is free. */
  tone: string;
  log: boolean;
  values: (number | null)[];
}

/** An iteration that is worth going to. */
export interface Mark {
  /** "nan", "inf", "largest", "last-good", "shape" or "finding". */
  kind: string;
  loop: string;
  /** NOTHING for what is in none. */
  iteration: number;
  step: number;
  title: string;
}

/** What is known of a run with loops. */
export interface Rolled {
  main: string;
  /** Whether this picture is rolled. */
  on: boolean;
  /** Whether it is what to show first. */
  worth: boolean;
  file: string;
  loops: Loop[];
  frames: Frame[];
  curves: Curve[];
  marks: Mark[];
  /** First and last step of the histories that come with it; None for all. */
  window: [number, number] | null;
  /** The cards at which the first NaN or Inf begins. */
  origins: string[];
  /** Loops that are taken for the other kind, and cards that are opened. */
  turned: string[];
  /** Cards that only some iterations of the main loop have, with the stretches of those. */
  there: Record<string, [number, number][]>;
  /** Whether the loops stay as they are, in a file that can ask nobody, */
  fixed: boolean;
  /** and whether it has no picture that is not rolled. */
  alone: boolean;
}

/** A picture: what is drawn where, and unless it is a sketch, what happens in it. */
export interface Drawn {
  /** Which picture of the run, whatever of it is open; the player names it with what it wants to be open. */
  picture: string;
  view: string;
  direction: string;
  fold: Fold;
  legend: LegendEntry[];
  nodes: Card[];
  edges: Line[];
  /** None where there is so much that vis-network would be too slow: the player has a canvas of its own for that. */
  network: VisNetwork | null;
  rolled: Rolled;
  /** Number → cell, line, column, end line, end column. */
  sites: Record<number, [number, number, number, number, number]>;
  /** Ids of what the user has hidden. */
  hidden: string[];
}

/** What is told of the steps while a large recording is worked out: the segments, and what the last step is about. */
export interface Sketch {
  segments: Segment[];
  focus: string[];
}

/** Captions from one step on; of a rolled run also what the steps are about, and the passes that run there. */
export interface Moments {
  captions: (([string, 'code' | 'grad' | 'plain' | 'strong'])[])[];
  captions_from: number;
  focuses: string[][];
  running: Queue[];
}

/** What a parameter in a card shows. */
export interface RowTold {
  key: string;
  history: [number, Face][];
}

/** What a card and the parameters in it show. */
export interface CardTold {
  id: string;
  history: [number, Face][];
  made: number[];
  rows: RowTold[];
}

/** What an edge shows. */
export interface LineTold {
  id: string;
  history: [number, EdgeFace][];
}

/** What everything in a rolled picture shows in another window of steps. */
export interface Told {
  window: [number, number];
  nodes: CardTold[];
  edges: LineTold[];
}

/** What is wrong or odd about a rolled run, which its picture does not wait for. */
export interface Found {
  marks: Mark[];
  /** Closed group → titles. */
  nodes: Record<string, string[]>;
}

/** What the player is to do once; later ones have larger numbers. */
export interface Command {
  n: number;
  /** The recording that it is about. */
  run: string;
  step: number | null;
  /** The step up to which it plays from there. */
  until: number | null;
  select: string | null;
  /** Whether the groups around the node are opened; else the closed one is selected. */
  open: boolean;
}

/** Where a run goes on, when the program was changed and run again: the moment and the node that the one before showed. */
export interface Keep {
  run: string;
  step: number;
  selected: string | null;
  /** Whether it is the same run with more at its end: whoever is at an earlier step, or looks at another node, stays there. */
  grown: boolean;
}

/** A mark over a node or edge; "error" is coloured by its value from 0 to 1. */
export interface OverlayMark {
  tone: 'added' | 'bad' | 'changed' | 'cut' | 'error' | 'good' | 'path' | 'removed' | 'warn';
  label?: string;
  value?: number | null;
}

/** A mark between two nodes, drawn where the graph has no edge. */
export interface Link {
  from: string;
  to: string;
  tone: string;
  label?: string;
}

/** Marks over the graph, by node, and by edge or by both its ends ("t1>t3"); `dim` lets the rest step back. */
export interface Overlay {
  nodes?: Record<string, OverlayMark>;
  edges?: Record<string, OverlayMark>;
  links?: Link[];
  legend?: LegendEntry[];
  dim?: boolean | null;
}

/** A breakpoint on a line. */
export interface LineStop {
  cell: number;
  line: number;
}

/** A breakpoint on what happens to a tensor. */
export interface TensorStop {
  node: string;
  name: string;
  when: string;
  value: number | null;
}

/** Where the player stops. */
export interface Breakpoints {
  lines: LineStop[];
  tensors: TensorStop[];
}

/** All that the player can be sent. */
export interface Message {
  key: string;
  /** Tells the picture from every other. */
  rev: string;
  /** Tells what is known of the run from that of other runs: the same, whatever is open. */
  tape: string;
  /** Steps of the run. */
  total: number;
  /** Whether it comes in parts, of which none is sent again. */
  large?: boolean;
  run?: Run;
  drawn?: Drawn;
  sketch?: Sketch;
  moments?: Moments;
  details?: Record<string, Record<number, string[]>>;
  told?: Told;
  found?: Found;
  /** Where what the cards show in other windows is fetched; without it, Python is asked. */
  address?: string | null;
  cmd?: Command | null;
  keep?: Keep | null;
  overlay?: Overlay | null;
  breakpoints?: Breakpoints | null;
  /** Why cards can be neither hidden nor coloured, if they cannot. */
  fixed?: string;
  /** What files of it are called, without an ending. */
  name?: string;
}

/** Where the player stands. */
export interface Moment {
  /** The recording on show, */
  run: string;
  step: number;
  selected: string | null;
  /** and the last command that it has obeyed. */
  n: number;
}

/** What the player has of a large recording; it says nothing of smaller ones, which are always sent whole. */
export interface Holds {
  /** The picture of which it has a sketch alone. */
  sketch: string;
  tape: string;
  /** Whether it has all captions. */
  captions: boolean;
  rev: string;
  details: boolean;
  /** The window that came last. */
  window: [number, number] | null;
  /** Whether it has the findings about a rolled run. */
  found: boolean;
}

/** The groups that the user wants open in a picture, and the node to show. */
export interface FoldsWish {
  picture: string;
  opened: string[];
  wanted: string | null;
}

/** What the user wants of loops. */
export interface RolledWish {
  on: boolean;
  /** Loops that are to be taken for the other kind, and cards that are to be opened. */
  turned: string[];
  /** The steps for which the cards' histories are wanted. */
  window: [number, number] | null;
}

/** What the user has done to cards last, each a `Choice`: one that is none does not make the others nothing. */
export interface Choices {
  last: any[];
}

/** All that the player can tell, by name. */
export interface Reports {
  moment: Moment;
  holds: Holds;
  folds: FoldsWish;
  rolled: RolledWish;
  chosen: Choices;
  breakpoints: Breakpoints;
}
