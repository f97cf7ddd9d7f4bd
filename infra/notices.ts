import { readdirSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const NOTICE = /^(licen[cs]e|copying|notice)/i

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** The folder of the package that a module is in; `undefined` for a module of this repository. */
function packageOf(module: string): string | undefined {
  const [found] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? []
  return found
}

function noticeOf(folder: string): string {
  const at = path.join(ROOT, folder)
  const {
    name,
    version,
    license = 'no licence named',
  } = JSON.parse(readFileSync(path.join(at, 'package.json'), 'utf8')) as Manifest
  const texts = readdirSync(at)
    .filter((file) => NOTICE.test(file))
    .sort()
    .map((file) => readFileSync(path.join(at, file), 'utf8').trim())
  return [`${name} ${version} (${license})`, ...texts].join('\n\n')
}

/** The licence texts that packages require in every copy, as one text; empty without packages. */
export const noticesOf = (modules: Iterable<string>): string =>
  [...new Set([...modules].flatMap((module) => packageOf(module) ?? []))]
    .sort()
    .map(noticeOf)
    .join(`\n\n${'-'.repeat(80)}\n\n`)

/** Modules that contribute at least one byte to a bundle. */
export const modulesIn = ({ outputs }: Metafile): string[] =>
  Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([module, { bytesInOutput }]) => (bytesInOutput > 0 ? [module] : [])),
  )
