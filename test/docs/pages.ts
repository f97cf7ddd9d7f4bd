import * as fs from 'node:fs'
import * as path from 'node:path'

/** The checkout. */
export const ROOT = path.join(import.meta.dirname, '../..')

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  /** line of the opening fence, from 1 */
  readonly line: number
  readonly language: string
  readonly text: string
  /** the comments directly before the block, such as `by hand: needs an account` */
  readonly marks: readonly string[]
}

const isPage = (file: string): boolean => file.endsWith('.md')

const pagesBelow = (folder: string): string[] =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(isPage)
    .map((file) => path.posix.join(folder, file.replaceAll('\\', '/')))
    .sort()

const { workspaces } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly workspaces: readonly string[]
}

/** Folders of the packages of this repository. */
export const PACKAGES = workspaces

/** All documentation pages, relative to the checkout. */
export const PAGES: readonly string[] = [
  ...fs.readdirSync(ROOT).filter(isPage).sort(),
  ...pagesBelow('docs'),
  ...PACKAGES.map((folder) => `${folder}/README.md`),
]

export const textOf = (page: string): string => fs.readFileSync(path.join(ROOT, page), 'utf8')

const FENCE = /^( *)(`{3,})(\w*)\n([^]*?)^ *\2$/gm
const COMMENTS = /(?:<!--(?:(?!-->)[^])*-->\s*)+$/

/** The blocks of a page, from top to bottom. */
export function blocksOf(page: string): Block[] {
  const whole = textOf(page)
  return [...whole.matchAll(FENCE)].map(({ index, 1: indent = '', 3: language = '', 4: text = '' }) => {
    const before = whole.slice(0, index)
    const [comments = ''] = COMMENTS.exec(before) ?? []
    const marks = [...comments.matchAll(/<!--\s*([^]*?)\s*-->/g)].map(([, mark = '']) => mark)
    const line = before.split('\n').length
    return { page, line, language, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), marks }
  })
}

/** A page without its blocks and comments. */
export const proseOf = (page: string): string =>
  textOf(page)
    .replaceAll(FENCE, '')
    .replaceAll(/<!--[^]*?-->/g, '')

/** The spans of code in a page's prose. */
export const spansOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll(/\s+/g, ' '))

export const blockName = ({ page, line }: Block): string => `${page}:${line}`

/** Marks of blocks: see docs/contributing/tests.md. */
export const MARKS = {
  byHand: /^by hand: ./,
  answers: /^answers: (.+)$/s,
  refused: /^refused$/,
  later: /^a minute later$/,
} as const

export const isByHand = ({ marks }: Block): boolean => marks.some((mark) => MARKS.byHand.test(mark))

/** Texts that the output of a block must contain. */
export const answersOf = ({ marks }: Block): string[] =>
  marks.flatMap((mark) => MARKS.answers.exec(mark)?.slice(1, 2) ?? [])

/** Comments about a whole page. */
const PAGE_MARKS = { root: /^<!-- in the root domain -->$/m, own: /^<!-- run by: (\S+) -->$/m } as const

/** Whether a page logs in with docs/session.sh. */
export const usesSession = (page: string): boolean => /^\. docs\/session\.sh(?: |$)/m.test(textOf(page))

/** Whether a page needs the root domain, and therefore a separate service. */
export const needsRoot = (page: string): boolean => PAGE_MARKS.root.test(textOf(page))

/** The test that runs the blocks of a page instead of the general one. */
export const ownTestOf = (page: string): string | undefined => PAGE_MARKS.own.exec(textOf(page))?.[1]
