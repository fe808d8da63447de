/**
 * A canvas for large graphs with the few methods of vis-network that camera and stage use: a view with a middle and a zoom, and
 * hooks that paint. It knows no nodes: what is drawn, and what is left out because it is too far away or out of sight, is the
 * stage's business.
 */

const PINCH = 2;

/** @param {HTMLElement} element */
export function createCanvas(element) {
  const canvas = document.createElement('canvas');
  canvas.className = 'large';
  canvas.tabIndex = -1;
  canvas.hidden = true;
  element.append(canvas);
  const ctx = canvas.getContext('2d');
  const hooks = new Map();
  const view = { x: 0, y: 0, scale: 1 };
  let size = { width: 0, height: 0, ratio: 1 };
  let flight = null; // the animation frame of a camera on its way
  let waiting = null; // the frame in which a drag is painted
  let gone = false;
  const listen = new AbortController();
  const { signal } = listen;

  const emit = (name, argument) => hooks.get(name)?.forEach((hook) => hook(argument));

  function fitSize() {
    const [width, height, ratio] = [element.clientWidth, element.clientHeight, window.devicePixelRatio || 1];
    if (width === size.width && height === size.height && ratio === size.ratio) return;
    size = { width, height, ratio };
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }

  function land() {
    cancelAnimationFrame(flight);
    flight = null;
  }

  const pointers = new Map();
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    land();
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }, { signal });
  canvas.addEventListener('pointermove', (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (!canvas.hasPointerCapture(event.pointerId)) {
      if (Math.hypot(now.x - before.x, now.y - before.y) < 3) return;
      canvas.setPointerCapture(event.pointerId);
      emit('dragStart');
    }
    if (pointers.size === PINCH) pinch(event.pointerId, now);
    pointers.set(event.pointerId, now);
    const share = 1 / pointers.size;
    view.x -= ((now.x - before.x) * share) / view.scale;
    view.y -= ((now.y - before.y) * share) / view.scale;
    waiting ??= requestAnimationFrame(network.redraw);
  }, { signal });
  const release = (event) => pointers.delete(event.pointerId);
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, release, { signal });

  function pinch(moved, now) {
    const [other] = [...pointers].filter(([id]) => id !== moved).map(([, point]) => point);
    const before = pointers.get(moved);
    const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y);
    if (apart(before) > 0) view.scale *= apart(now) / apart(before);
    emit('zoom');
  }

  const network = {
    on(name, hook) {
      hooks.set(name, [...(hooks.get(name) ?? []), hook]);
    },

    /** Take the place of the other network, or leave it. */
    show(shown) {
      canvas.hidden = !shown;
      if (!shown) land();
    },

    redraw() {
      waiting = null;
      if (canvas.hidden || gone) return;
      fitSize();
      if (size.width === 0) return;
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      ctx.clearRect(0, 0, canvas.width, canvas.height);
      const zoom = view.scale * size.ratio;
      ctx.setTransform(zoom, 0, 0, zoom, canvas.width / 2 - view.x * zoom, canvas.height / 2 - view.y * zoom);
      emit('draw', ctx);
    },

    getScale: () => view.scale,
    getViewPosition: () => ({ x: view.x, y: view.y }),
    DOMtoCanvas: ({ x, y }) => ({ x: view.x + (x - element.clientWidth / 2) / view.scale, y: view.y + (y - element.clientHeight / 2) / view.scale }),
    canvasToDOM: ({ x, y }) => ({ x: (x - view.x) * view.scale + element.clientWidth / 2, y: (y - view.y) * view.scale + element.clientHeight / 2 }),

    moveTo({ position = { x: view.x, y: view.y }, scale = view.scale, animation = false }) {
      land();
      const goal = { ...position, scale };
      if (!animation || gone) {
        Object.assign(view, goal);
        network.redraw();
        return;
      }
      const start = { ...view };
      const began = performance.now();
      const fly = (now) => {
        const t = Math.min(1, Math.max(0, (now - began) / animation.duration));
        const share = t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
        for (const part of ['x', 'y', 'scale']) view[part] = start[part] + (goal[part] - start[part]) * share;
        flight = t < 1 ? requestAnimationFrame(fly) : null;
        network.redraw();
      };
      flight = requestAnimationFrame(fly);
    },

    /** From here on nothing is drawn, whatever is asked for. */
    destroy() {
      gone = true;
      land();
      cancelAnimationFrame(waiting);
      listen.abort();
      canvas.remove();
    },
  };
  return network;
}
