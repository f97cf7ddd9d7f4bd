import * as fs from 'node:fs'
import * as path from 'node:path'
import { spawnSync } from 'node:child_process'
import { FILES } from '../../infra/local/data/data-directory.ts'
import { call } from '../support/service.ts'

/** Folder with one archive per kept version. */
export const KEPT = path.join(import.meta.dirname, 'kept')
/** The host of an endpoint with attested sessions. */
export const KEPT_HOST = 'kept.example.test'
/** File of an archive with the answers of its version. */
const EXPECTED = 'expected.json'
/** The parts of a data directory that a backup contains. */
const OF_A_BACKUP = [FILES.rootKey, FILES.rootKeyCheck, FILES.table, FILES.begun, FILES.schedules, FILES.objects]

/** A version's answers about the data that it left. */
export interface Expected {
  /** time of the data, RFC 3339 */
  readonly at: string
  readonly username: string
  readonly userPassword: string
  /** resources by the path of their list */
  readonly lists: Readonly<Record<string, readonly KeptRecord[]>>
  /** names of local keys, and their exported material */
  readonly materials: Readonly<Record<string, unknown>>
  /** names of secrets, and what their export returned */
  readonly secrets: Readonly<Record<string, unknown>>
}

export type KeptRecord = Readonly<Record<string, unknown>>

/** Writes the archive of a stopped deployment. @throws Error if `tar` fails */
export function keep(dataDir: string, expected: Expected, archive: string): void {
  fs.writeFileSync(path.join(dataDir, EXPECTED), JSON.stringify(expected))
  const found = OF_A_BACKUP.filter((name) => fs.existsSync(path.join(dataDir, name)))
  tar('--create', '--gzip', '--file', archive, '--directory', dataDir, EXPECTED, ...found)
}

/** Extracts an archive into the empty folder `dataDir`. @throws Error if `tar` fails */
export function unpack(archive: string, dataDir: string): Expected {
  tar('--extract', '--gzip', '--file', archive, '--directory', dataDir)
  return JSON.parse(fs.readFileSync(path.join(dataDir, EXPECTED), 'utf8')) as Expected
}

function tar(...args: string[]): void {
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tar: ${stderr}`)
}

interface Described {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly parameters?: readonly { name?: string; $ref?: string }[] } }>
  >
}

/** Paths of all lists that need no id and that `limit` bounds, from a version's own API description. */
export async function listPaths(base: string): Promise<string[]> {
  const { body } = await call(base, 'GET', '/v1/openapi.json')
  return Object.entries((body as Described).paths)
    .filter(([at]) => at.startsWith('/v1/') && !at.includes('{'))
    .filter(([, { get }]) => get?.parameters?.some(({ name, $ref }) => name === 'limit' || $ref?.endsWith('/Limit')))
    .map(([at]) => at)
}

/** The first 1,000 resources of a list; `undefined` if it refuses the request. */
export async function resourcesOf(base: string, token: string, list: string): Promise<KeptRecord[] | undefined> {
  const { status, body } = await call(base, 'GET', `${list}?limit=1000`, { token })
  return status === 200 ? (body.resources as KeptRecord[]) : undefined
}
