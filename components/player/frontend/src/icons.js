/** The signs on the buttons: paths on a 20 by 20 grid, filled or drawn as lines, some with a filled dot beside the lines. */

export const ICONS = {
  first: { d: 'M5 4.5h1.8v11H5zM15.5 4.9v10.2L8 10z', filled: true },
  last: { d: 'M13.2 4.5H15v11h-1.8zM4.5 4.9v10.2L12 10z', filled: true },
  back: { d: 'M13.5 4.6v10.8L5.5 10z', filled: true },
  forward: { d: 'M6.5 4.6v10.8l8-5.4z', filled: true },
  play: { d: 'M6.4 4.1v11.8L15.6 10z', filled: true },
  pause: { d: 'M5.6 4.5h3.1v11H5.6zM11.3 4.5h3.1v11h-3.1z', filled: true },
  before: { d: 'M11.8 5.5L7.3 10l4.5 4.5' },
  after: { d: 'M8.2 5.5l4.5 4.5-4.5 4.5' },
  plus: { d: 'M10 4.5v11M4.5 10h11' },
  minus: { d: 'M4.5 10h11' },
  fit: { d: 'M3.5 7.5v-4h4M12.5 3.5h4v4M16.5 12.5v4h-4M7.5 16.5h-4v-4M7.5 8.5h5v3h-5z' },
  weigh: { d: 'M3.5 4.2h13v.8h-13zM3.5 8h13v2h-13zM3.5 13h13v3.6h-13z', filled: true },
  follow: { d: 'M10 2.5v3M10 14.5v3M2.5 10h3M14.5 10h3M5.5 10a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0M9.4 10a.6.6 0 1 0 1.2 0a.6.6 0 1 0-1.2 0' },
  expand: { d: 'M11.5 3.5h5v5M16.5 3.5l-5.5 5.5M8.5 16.5h-5v-5M3.5 16.5L9 11' },
  shrink: { d: 'M16.5 8.5h-5v-5M11.5 8.5L17 3M3.5 11.5h5v5M8.5 11.5L3 17' },
  // A change is a delta, one before or after it. Bent arrows would say undo and redo.
  previous: { d: 'M6 6.5L2.5 10L6 13.5M13 5.5l4.5 9h-9z' },
  next: { d: 'M14 6.5l3.5 3.5l-3.5 3.5M7 5.5l4.5 9h-9z' },
  // A line of a program with a dot in the margin. The dot alone would say record.
  breakpoint: { d: 'M9.5 4.5h7M9.5 10h8M9.5 15.5h5', dot: 'M4.3 7.6a2.4 2.4 0 1 0 .01 0z' },
  keys: { d: 'M2.5 5.5h15v9h-15zM5.5 8.5h.4M8.4 8.5h.4M11.3 8.5h.4M14.2 8.5h.4M6.5 11.6h7' },
  // A film: a strip with holes would be too fine; a camera is known.
  film: { d: 'M2.5 6h9.5v8H2.5zM12 9.2l5-2.7v7l-5-2.7' },
  close: { d: 'M5.5 5.5l9 9M14.5 5.5l-9 9' },
  find: { d: 'M4 8.7a4.7 4.7 0 1 0 9.4 0a4.7 4.7 0 1 0-9.4 0M12.2 12.2l4.3 4.3' },
};
