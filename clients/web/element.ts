type Child = Node | string

/** Creates an element. Texts become text nodes, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  Object.assign(made, properties)
  made.append(...children)
  return made
}

/** An element of the page. @throws Error if the page has none */
export function found<T extends HTMLElement>(id: string, kind: new () => T): T {
  const there = document.getElementById(id)
  if (!(there instanceof kind)) throw new Error(`The page has no ${id}`)
  return there
}
