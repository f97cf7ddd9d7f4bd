type Xml = string | number | boolean | Date | undefined | readonly Xml[] | { readonly [name: string]: Xml }

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escape = (text: string) => text.replace(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark)

/** One element with its content. Lists are `member` elements, times ISO 8601; absent values have no element. */
export function element(name: string, content: Xml, attributes = ''): string {
  if (content === undefined) return ''
  return `<${name}${attributes}>${inside(content)}</${name}>`
}

function inside(content: Exclude<Xml, undefined>): string {
  if (content instanceof Date) return content.toISOString()
  if (isList(content)) return content.map((each) => element('member', each)).join('')
  if (typeof content !== 'object') return escape(String(content))
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join('')
}

const isList = (content: Xml): content is readonly Xml[] => Array.isArray(content)

export type { Xml }
