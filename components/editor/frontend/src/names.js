/** What all editors of the page offer beside Python's own names and the program's words. */

let offered = [];

export function setNames(names) {
  offered = names;
}

/** @returns {{label: string, owner: string, detail: string}[]} */
export const names = () => offered;
