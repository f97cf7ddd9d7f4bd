/**
 * Facts of the API description that clients need at run time, as small modules of data, because the description is too
 * large for them.
 */
import { existsSync, readFileSync } from 'node:fs'
import type * as cli from '../clients/cli/described/description.ts'
import type { BegunWork } from '../shared/http/begun-work.ts'
import { clientFile } from './api-types.ts'
import { consoleTables } from './console-tables.ts'

interface Operation extends cli.Operation {
  readonly 'x-keymgr-job'?: BegunWork
  readonly 'x-keymgr-once'?: true
}

interface Description extends cli.Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const parametersIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Parameters of the path that shows the work, by the properties of the answer that contain them. */
function idsOf({ read, ids = {} }: BegunWork, path: string): Record<string, string> {
  const inCall = parametersIn(path)
  return { ...Object.fromEntries(parametersIn(read).flatMap((id) => (inCall.includes(id) ? [] : [[id, id]]))), ...ids }
}

/** Jobs by the path that shows them, with the calls that begin them. */
function jobsOf({ paths }: Description): Record<string, object> {
  const jobs: Record<string, { readonly begunBy: string[]; readonly ids: object }> = {}
  for (const [path, { post }] of Object.entries(paths)) {
    const begun = post?.['x-keymgr-job']
    if (begun === undefined) continue
    const { read, ids: _, ...row } = begun
    const { begunBy } = (jobs[read] ??= { ...row, begunBy: [], ids: idsOf(begun, path) })
    begunBy.push(path)
  }
  return jobs
}

const onceOf = ({ paths }: Description): string[] =>
  Object.entries(paths).flatMap(([path, { post }]) => (post?.['x-keymgr-once'] === true ? [path] : []))

const lines = (entries: readonly string[]): string => entries.map((entry) => `  ${entry},\n`).join('')
const object = (value: object): string =>
  `{\n${lines(Object.entries(value).map(([name, row]) => `${JSON.stringify(name)}: ${JSON.stringify(row)}`))}} as const`
const list = (values: readonly string[]): string => `[\n${lines(values.map((value) => JSON.stringify(value)))}]`

const HEAD = '/** Generated from the API description by `npm run describe`. */\n'

/** The modules by file. @param text the description */
export function clientTables(text: string): Readonly<Record<string, string>> {
  const description = JSON.parse(text) as Description // written by this project
  const ofConsole = consoleTables(description).map(([file, table]): [string, string] => [
    file,
    `${HEAD}\n${table.map(([name, facts]) => `export const ${name} = ${JSON.stringify(facts)} as const\n`).join('')}`,
  ])
  return {
    ...Object.fromEntries(ofConsole),
    [clientFile('sdk/described.ts')]: [
      HEAD,
      '/** Every job, by the path that shows it. */\n',
      `export const JOBS = ${object(jobsOf(description))}\n\n`,
      '/** POSTs without an `Idempotency-Key`: a repetition may have a second effect. */\n',
      `export const ONCE: readonly string[] = ${list(onceOf(description))}\n`,
    ].join(''),
  }
}

/** Files that differ from the description. */
export const staleTables = (text: string): string[] =>
  Object.entries(clientTables(text)).flatMap(([file, table]) =>
    existsSync(file) && readFileSync(file, 'utf8') === table ? [] : [file],
  )
