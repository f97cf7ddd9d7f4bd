import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A process. The system reuses ids; an id with its start time is unique. */
export interface ProcessIdentity {
  readonly pid: number
  readonly started: string
}

/** Fields of `/proc/<pid>/stat` after the command in parentheses; the 22nd field of the line is the start (proc(5)). */
const START_TIME_FIELD = 22 - 3

/** Start time of process `pid`, as a text to compare; `undefined` if the process does not exist. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z' || fields[0] === 'X') return undefined // ended, but its parent has not collected it yet
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
      return `${boot}/${String(fields[START_TIME_FIELD])}`
    } catch {
      return undefined
    }
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch {
    return undefined
  }
}

/** @throws Error if the process does not exist */
export function identify(pid: number): ProcessIdentity {
  const started = startOf(pid)
  if (started === undefined) throw new Error(`There is no process ${pid}.`)
  return { pid, started }
}

/** Whether this process still runs, and not another one with the same id. */
export const runs = ({ pid, started }: ProcessIdentity): boolean => startOf(pid) === started
