/**
 * Layouts of Go's time package: the reference time `Mon Jan 2 15:04:05 MST 2006` in the format that times are to have.
 * A layout is parsed into elements and the text between them.
 */
export type Element =
  | 'January'
  | 'Jan'
  | '1'
  | '01'
  | 'Monday'
  | 'Mon'
  | '2'
  | '_2'
  | '02'
  | '__2'
  | '002'
  | '15'
  | '3'
  | '03'
  | '4'
  | '04'
  | '5'
  | '05'
  | '2006'
  | '06'
  | 'PM'
  | 'pm'
  | 'MST'
  | 'Z0700'
  | 'Z070000'
  | 'Z07'
  | 'Z07:00'
  | 'Z07:00:00'
  | '-0700'
  | '-070000'
  | '-07'
  | '-07:00'
  | '-07:00:00'
  | '.0'
  | '.9'

export interface Chunk {
  /** text before the element */
  readonly prefix: string
  /** undefined at the end of the layout */
  readonly element: Element | undefined
  /** the element as written in the layout: `.000` is element `.0` */
  readonly written: string
}

/** In the order in which they are tried: a longer one precedes its prefix. */
const PLAIN: readonly Element[] = [
  'January',
  'Monday',
  '-07:00:00',
  'Z07:00:00',
  '-070000',
  'Z070000',
  '-07:00',
  'Z07:00',
  '-0700',
  'Z0700',
  '2006',
  '__2',
  '002',
  'Jan',
  'Mon',
  'MST',
  '-07',
  'Z07',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '15',
  '_2',
  'PM',
  'pm',
  '1',
  '2',
  '3',
  '4',
  '5',
]

/** Layouts that have a name. */
export const NAMED_LAYOUTS: ReadonlyMap<string, string> = new Map([
  ['ANSIC', 'Mon Jan _2 15:04:05 2006'],
  ['UnixDate', 'Mon Jan _2 15:04:05 MST 2006'],
  ['RubyDate', 'Mon Jan 02 15:04:05 -0700 2006'],
  ['RFC822', '02 Jan 06 15:04 MST'],
  ['RFC822Z', '02 Jan 06 15:04 -0700'],
  ['RFC850', 'Monday, 02-Jan-06 15:04:05 MST'],
  ['RFC1123', 'Mon, 02 Jan 2006 15:04:05 MST'],
  ['RFC1123Z', 'Mon, 02 Jan 2006 15:04:05 -0700'],
  ['RFC3339', '2006-01-02T15:04:05Z07:00'],
  ['RFC3339Nano', '2006-01-02T15:04:05.999999999Z07:00'],
])

/** The layout as its chunks; the last has no element. */
export function chunksOf(layout: string): Chunk[] {
  const chunks: Chunk[] = []
  let from = 0
  for (let at = 0; at < layout.length;) {
    const found = elementAt(layout, at)
    if (found === undefined) {
      at += 1
      continue
    }
    chunks.push({ prefix: layout.slice(from, at + found.skip), element: found.element, written: found.written })
    at += found.skip + found.written.length
    from = at
  }
  chunks.push({ prefix: layout.slice(from), element: undefined, written: '' })
  return chunks
}

/** `skip` is text that precedes the element: the underscore of `_2006`. */
function elementAt(layout: string, at: number): { element: Element; written: string; skip: number } | undefined {
  const fraction = /^[.,](0+|9+)(?!\d)/.exec(layout.slice(at, at + 64))
  if (fraction !== null) return { element: fraction[0][1] === '0' ? '.0' : '.9', written: fraction[0], skip: 0 }
  if (layout.startsWith('_2006', at)) return { element: '2006', written: '2006', skip: 1 }
  const element = PLAIN.find((one) => layout.startsWith(one, at))
  if (element === undefined) return undefined
  // "Jane" and "Month" are not elements: no lower case letter may follow.
  const follows = layout[at + element.length] ?? ''
  if ((element === 'Jan' || element === 'Mon') && follows >= 'a' && follows <= 'z') return undefined
  return { element, written: element, skip: 0 }
}
