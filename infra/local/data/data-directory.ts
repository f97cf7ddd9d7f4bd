import * as fs from 'node:fs'
import * as path from 'node:path'
import { codeOf } from '../../simulators/toolkit/error-code.ts'
import { StartRefusal } from '../command/start-refusal.ts'

/** Files of a data directory. All of them belong to the deployment; only their owner may read them. */
export const FILES = {
  lock: 'lock',
  rootKey: 'root-key.json',
  rootKeyCheck: 'root-key.check',
  table: 'table.db',
  /** written when the table has its first records */
  begun: 'begun',
  log: 'keymgr.log',
  events: 'events.jsonl',
  flows: 'flows.jsonl',
  schedules: 'schedules.jsonl',
  objects: 'objects',
  people: 'people.json',
  endpoints: 'endpoints.json',
  certificate: 'tls-certificate.pem',
  certificateKey: 'tls-key.pem',
} as const

const OWNER_ONLY_DIRECTORY = 0o700
const OWNER_ONLY_FILE = 0o600
const OTHERS = 0o077

/**
 * Creates a directory and its parents, one by one. Node's `recursive` never returns where the system reports an
 * existing parent as missing (as `/proc` does).
 */
function makeDirectory(where: string): void {
  if (fs.existsSync(where)) return
  const parent = path.dirname(where)
  if (!fs.existsSync(parent)) makeDirectory(parent)
  fs.mkdirSync(where, { mode: OWNER_ONLY_DIRECTORY })
}

/**
 * Creates the directory, or accepts an existing one that is empty or belongs to keymgr. Ours: a directory with other
 * files is refused, because using it would close it to everyone but its owner.
 * @throws StartRefusal if it cannot be used
 */
export function openDataDirectory(directory: string): string {
  const where = path.resolve(directory)
  try {
    makeDirectory(where)
    const found = fs.readdirSync(where)
    if ((fs.statSync(where).mode & OTHERS) !== 0) {
      const ours = found.length === 0 || found.includes(FILES.rootKey) || found.includes(FILES.lock)
      if (!ours)
        throw new StartRefusal(`The data directory ${where} is open to others and holds files that are not keymgr's.`)
      fs.chmodSync(where, OWNER_ONLY_DIRECTORY)
    }
    fs.accessSync(where, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
    const probe = path.join(where, `.probe-${process.pid}`)
    fs.writeFileSync(probe, '', { mode: OWNER_ONLY_FILE })
    fs.unlinkSync(probe)
  } catch (error) {
    if (error instanceof StartRefusal) throw error
    throw new StartRefusal(`The data directory ${where} cannot be written (${codeOf(error)}).`, { cause: error })
  }
  return where
}

/** Whether the directory contains a table, of either engine. */
export const hasTable = (directory: string): boolean =>
  fs.readdirSync(directory).some((name) => name === FILES.table || name === `${FILES.table}.dynamodb-local`)

/**
 * @throws StartRefusal if the directory had a table that is missing now: a start would create an empty deployment
 * without a warning
 */
export function assertTableKept(directory: string): void {
  if (!fs.existsSync(path.join(directory, FILES.begun)) || hasTable(directory)) return
  throw new StartRefusal(
    `The data directory ${directory} has lost its table: bring ${FILES.table} back from a copy, or start with --begin-anew for an empty deployment with the same root key.`,
  )
}

/** Records that the table has records from now on. */
export function noteBegun(directory: string): void {
  const file = path.join(directory, FILES.begun)
  if (!fs.existsSync(file)) writeNew(file, '')
}

/** Writes a file atomically and durably: temporary file, fsync, rename, fsync. */
export function writeWhole(file: string, content: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeSynced(temporary, content, 'w')
  fs.renameSync(temporary, file)
  syncDirectory(path.dirname(file))
}

/** Writes a file that must not exist yet. @throws the system's EEXIST if it does */
export function writeNew(file: string, content: string): void {
  writeSynced(file, content, 'wx')
  syncDirectory(path.dirname(file))
}

function writeSynced(file: string, content: string, flags: 'w' | 'wx'): void {
  const handle = fs.openSync(file, flags, OWNER_ONLY_FILE)
  try {
    fs.writeFileSync(handle, content)
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

function syncDirectory(directory: string): void {
  const handle = fs.openSync(directory, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}

/** Whether the file is accessible to others than its owner. */
export const openToOthers = (file: string): boolean => (fs.statSync(file).mode & OTHERS) !== 0
