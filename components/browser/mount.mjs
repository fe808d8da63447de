/** The entry of a component: Streamlit calls it on every update with the element of the page that the component fills. */

/** Data as it comes: the bytes of its JSON from Python, plain data in a replay. */
export function received(data) {
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? JSON.parse(new TextDecoder().decode(data)) : data;
}

/**
 * An entry with one part for each element, which lives as long as the element.
 *
 * @param {(component: object) => {update: (component: object) => void, destroy: () => void}} create
 *   makes the part from what Streamlit hands over: parentElement, data, setStateValue, …
 */
export function mounted(create) {
  const parts = new WeakMap();
  return (given) => {
    const component = { ...given, data: received(given.data) };
    const { parentElement } = component;
    const part = parts.get(parentElement) ?? create(component);
    parts.set(parentElement, part);
    part.update(component);
    return () => {
      parts.delete(parentElement);
      part.destroy();
    };
  };
}
