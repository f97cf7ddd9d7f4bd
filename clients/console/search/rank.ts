import { capitalized } from '../words/texts.ts'

/** A page that a search leads to. */
export interface Hit {
  readonly href: string
  readonly title: string
  readonly detail: string
}

/** Filters are case-sensitive, so a text is searched as typed and in the usual cases. */
const casesOf = (text: string): readonly string[] => [
  ...new Set([text, text.toLowerCase(), capitalized(text.toLowerCase()), text.toUpperCase()]),
]

/** A text with the wildcards of the interface as ordinary characters would find too much: they are dropped. */
const plain = (text: string): string => text.replace(/[*?]/g, '')

/** Patterns for names that contain a text. */
export const containing = (text: string): readonly string[] => casesOf(plain(text)).map((each) => `*${each}*`)

/** Patterns for names that begin with a text: cheaper, for lists that are too long to look through. */
export const beginning = (text: string): readonly string[] => casesOf(plain(text)).map((each) => `${each}*`)

/** Whether a text is an id rather than a part of a name. */
export const isId = (text: string): boolean =>
  /^([0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|arn:\S+|keymgr:\S+)$/i.test(text)

function weightOf(text: string, title: string): number {
  const [sought, name] = [text.toLowerCase(), title.toLowerCase()]
  if (name === sought) return 0
  if (name.startsWith(sought)) return 1
  if (name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(sought))) return 2
  return 3
}

/** Hits in the order of their likeness to a text; equal ones keep their order. */
export const ranked = (text: string, hits: readonly Hit[]): readonly Hit[] =>
  hits.toSorted((a, b) => weightOf(text, a.title) - weightOf(text, b.title))
