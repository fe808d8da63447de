/** A canvas that writes down what is drawn on it, as `tests/engine/export/golden.py` writes down the shapes of a file. */

const round = (value) => Math.round(value * 100) / 100;
const all = (points) => points.flat().map(round);

/** What a path is made of: boxes, discs' shares, and lines with straight or cubic pieces. */
class Course {
  parts = [];
  moveTo(x, y) { this.parts.push({ kind: 'line', from: [x, y], pieces: [] }); }
  lineTo(x, y) { this.parts.at(-1).pieces.push([[x, y]]); }
  bezierCurveTo(a, b, c, d, x, y) { this.parts.at(-1).pieces.push([[a, b], [c, d], [x, y]]); }
  closePath() { this.parts.at(-1).closed = true; }
  rect(x, y, w, h) { this.parts.push({ kind: 'box', at: [x, y, w, h, 0] }); }
  roundRect(x, y, w, h, r) { this.parts.push({ kind: 'box', at: [x, y, w, h, r] }); }
  arc(x, y, r, from, to) {
    if (to - from >= 2 * Math.PI) return void this.parts.push({ kind: 'box', at: [x - r, y - r, 2 * r, 2 * r, r] });
    const start = this.parts.pop();
    if (start?.kind !== 'line' || start.pieces.length > 0) throw new Error('an arc is a share of a disc');
    this.parts.push({ kind: 'pie', at: [x, y, r, (to - from) / (2 * Math.PI)] });
  }
}

export class RecordingCanvas extends Course {
  drawn = [];
  globalAlpha = 1;
  fillStyle = '';
  strokeStyle = '';
  lineWidth = 1;
  font = '';
  textAlign = 'left';
  dash = [];

  beginPath() { this.parts = []; }
  setLineDash(dash) { this.dash = [...dash]; }

  fill() {
    for (const part of this.parts) {
      const at = part.kind === 'line' ? this.polygon(part) : part.at.map(round);
      this.put(part.kind === 'line' ? 'area' : part.kind, at, this.fillStyle);
    }
  }

  stroke(path = this) {
    for (const { kind, at, from, pieces } of path.parts) {
      const how = [round(this.lineWidth), ...this.dash];
      if (kind === 'box') this.put('border', at.map(round), this.strokeStyle, how);
      else if (pieces.every((piece) => piece.length === 1)) this.put('line', all([from, ...pieces.flat()]), this.strokeStyle, how);
      else this.put('curve', all([from, ...pieces.flat()]), this.strokeStyle, how);
    }
  }

  fillRect(x, y, w, h) { this.put('box', [x, y, w, h, 0].map(round), this.fillStyle); }

  fillText(text, x, y, width) {
    const [, weight, size] = /^(\d+) ([\d.]+)px /.exec(this.font);
    this.put('text', [x, y, Number(size), width].map(round), this.fillStyle, [Number(weight), this.textAlign, text]);
  }

  polygon({ from, pieces }) {
    return all([from, ...pieces.flat()]);
  }

  put(kind, at, colour, rest = []) {
    if (at.some((value) => !Number.isFinite(value))) throw new Error(`${kind} at ${at}`);
    this.drawn.push([kind, at, colour, round(this.globalAlpha), ...rest]);
  }
}

globalThis.Path2D = Course;
