/** An element without its namespace prefix. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** Text directly below it. */
  readonly text: string
}

const TOKEN =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<(?<end>\/)?(?<name>[\w:.-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(?<empty>\/)?>|(?<text>[^<]+)/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code?: string, name?: string) =>
    code === undefined ? (ENTITIES[name ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  )
export const escaped = (text: string): string => text.replaceAll(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** An element whose end was not read yet. */
interface Open extends Element {
  readonly children: Element[]
  text: string
}

/** The root element of a document without declarations of types. @throws SyntaxError */
export function parseXml(document: string): Element {
  const pattern = new RegExp(TOKEN)
  const top: Open = { name: '', attributes: {}, children: [], text: '' }
  const open = [top]
  while (pattern.lastIndex < document.length) {
    const groups = pattern.exec(document)?.groups
    const parent = open.at(-1)
    if (groups === undefined || parent === undefined) throw new SyntaxError('The document is not well-formed.')
    const { end, name, attributes = '', empty, text } = groups
    if (text !== undefined) parent.text += unescaped(text)
    if (name === undefined) continue
    if (end === undefined) open.push(begin(parent, name, attributes))
    if (end === undefined && empty === undefined) continue
    if (open.length < 2 || open.pop()?.name !== localName(name)) throw new SyntaxError(`${name} is not open.`)
  }
  const [root] = top.children
  if (root === undefined || open.length !== 1) throw new SyntaxError('The document has no end.')
  return root
}

function begin(parent: Open, name: string, attributes: string): Open {
  const found = [...attributes.matchAll(ATTRIBUTE)].map(([, key = '', one, other]): [string, string] => [
    localName(key),
    unescaped(one ?? other ?? ''),
  ])
  const made: Open = { name: localName(name), attributes: Object.fromEntries(found), children: [], text: '' }
  parent.children.push(made)
  return made
}

export const childOf = ({ children }: Element, name: string): Element | undefined =>
  children.find((each) => each.name === name)

/** Text of a child, without space around it. */
export const textOf = (element: Element, name: string): string | undefined => childOf(element, name)?.text.trim()
