import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { PAGES, proseOf, ROOT, textOf } from './pages.ts'

/** Links between pages, and the indexes that list pages. */
interface Link {
  readonly page: string
  readonly target: string
}

const INLINE = /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g

const linksOf = (page: string): Link[] =>
  [...proseOf(page).matchAll(INLINE)].map(([, inline, attribute]) => ({ page, target: inline ?? attribute ?? '' }))

const isForeign = ({ target }: Link): boolean => /^[a-z]+:/.test(target)

/** The target of a link: a path relative to the checkout, and an anchor there. */
function ending({ page, target }: Link): { readonly file: string; readonly anchor: string } {
  const [name = '', anchor = ''] = target.split('#', 2)
  return { file: name === '' ? page : path.posix.join(path.posix.dirname(page), name), anchor }
}

/** The anchor of a heading in rendered Markdown. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const anchorsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

const isDead = (link: Link): boolean => {
  const { file, anchor } = ending(link)
  if (!fs.existsSync(path.join(ROOT, file))) return true
  return anchor !== '' && !anchorsOf(file).includes(anchor)
}

test('no link is dead', () => {
  const dead = PAGES.flatMap(linksOf).filter((link) => !isForeign(link) && isDead(link))
  expect(dead.map(({ page, target }) => `${page}: ${target}`)).toEqual([])
})

test('every page of docs is named by the contents, or by the index of its folder that they name', () => {
  const namedBy = (page: string) => new Set(linksOf(page).map((link) => ending(link).file))
  const contents = namedBy('docs/README.md')
  const isNamed = (page: string): boolean => {
    const index = path.posix.join(path.posix.dirname(page), 'README.md')
    return contents.has(page) || (contents.has(index) && PAGES.includes(index) && namedBy(index).has(page))
  }
  const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
  expect(pages.filter((page) => !isNamed(page))).toEqual([])
})

test('every page begins with its one title', () => {
  const titles = (page: string) => proseOf(page).match(/^# .+$/gm)?.length ?? 0
  expect(PAGES.filter((page) => !textOf(page).startsWith('# ') || titles(page) !== 1)).toEqual([])
})

test('the front page is one page', () => {
  const readme = textOf('README.md')
  expect(readme.split('\n').length).toBeLessThanOrEqual(121)
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(7 * 1024)
})

test('every cloud and every protocol has a page of its name', () => {
  const slices = [...CLOUDS.filter(isOffered), ...PROTOCOLS].map(({ name }) => `docs/guide/${name}.md`)
  expect(slices.filter((page) => !PAGES.includes(page))).toEqual([])
})
