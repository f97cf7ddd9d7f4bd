import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import * as path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { now } from './clock.ts'
import { Failure } from '../failures.ts'
import { writeWhole } from '../whole-file.ts'

const below = (variable: string, otherwise: string, name: string): string =>
  path.join(process.env[variable] ?? path.join(homedir(), otherwise), 'keymgr', name)

/** Profiles, which contain no secret. */
export const configFile = (): string => below('XDG_CONFIG_HOME', '.config', 'config.json')

/**
 * Tokens of a profile. They are not in the configuration folder, because users copy, share and version such folders.
 */
export const sessionFile = (profile: string): string =>
  below('XDG_STATE_HOME', '.local/state', path.join('sessions', `${profile}.json`))

/** The content of a file; `undefined` if it does not exist. @throws Failure for a file that is not JSON */
export function readPrivate(file: string): unknown {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Failure('usage', `${file} is damaged. Remove it, and log in again.`, [], { cause })
  }
}

/** Writes a file atomically, readable only by its owner. */
export function writePrivate(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  writeWhole(file, `${JSON.stringify(value, undefined, 2)}\n`)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const STALE_MS = 60_000

/** Whether a lock is stale: its process has ended, or it is too old. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, 'utf8'))
    return (pid > 0 && !isAlive(pid)) || now() - statSync(lock).mtimeMs > STALE_MS
  } catch {
    return false
  }
}

function taken(lock: string): boolean {
  try {
    const handle = openSync(lock, 'wx', 0o600)
    writeSync(handle, String(process.pid))
    closeSync(handle)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isLeft(lock)) rmSync(lock, { force: true })
    return false
  }
}

const LONGEST_WAIT_MS = 70_000
const LOOK_MS = 25

/** Runs `work` while no other process does so with this file. */
export async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  for (const from = now(); !taken(lock); await wait(LOOK_MS))
    if (now() - from > LONGEST_WAIT_MS)
      throw new Failure('unavailable', `Another keymgr is at work with ${file}. Remove ${lock} if there is none.`)
  try {
    return await work()
  } finally {
    rmSync(lock, { force: true })
  }
}
