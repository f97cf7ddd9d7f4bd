import * as fs from 'node:fs'
import { ownText } from '../../simulators/toolkit/own-text.ts'
import { identify, runs, type ProcessIdentity } from './processes.ts'
import { codeOf } from '../../simulators/toolkit/error-code.ts'
import { StartRefusal } from '../command/start-refusal.ts'
import { writeWhole } from './data-directory.ts'

/**
 * Restricts a data directory to one deployment: two table engines on one file would corrupt it. Ours: a file names the
 * holder, instead of an OS lock, which Node does not offer. Process id and start time identify the holder, so a lock
 * left by a `kill -9` is recognised. Two containers that share a directory do not see each other.
 */
interface Lock {
  /** Adds the table engine to the lock, so that the next start can end an engine that is still running. */
  readonly noteEngine: (pid: number) => void
  readonly release: () => void
}

interface Holder extends ProcessIdentity {
  readonly engine?: ProcessIdentity
}

const HOLDER = ownText<Holder>()
const ATTEMPTS = 20

/** @throws StartRefusal if a running deployment holds the lock */
export function takeLock(file: string): Lock {
  const self = identify(process.pid)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (place(file, self)) return held(file, self)
    const holder = read(file)
    if (holder === 'gone') continue
    if (holder !== 'unreadable' && runs(holder)) {
      throw new StartRefusal(
        `The data directory is in use by another running instance (process ${holder.pid}, lock ${file}).`,
      )
    }
    setAside(file, holder)
    if (holder !== 'unreadable' && holder.engine !== undefined) endLeftEngine(holder.engine)
  }
  throw new StartRefusal(`The lock ${file} cannot be taken: others keep taking it.`)
}

/** Creates a complete lock, or nothing: a link either creates the name or fails. */
function place(file: string, holder: Holder): boolean {
  const own = `${file}.${process.pid}`
  fs.writeFileSync(own, HOLDER.write(holder), { mode: 0o600 })
  try {
    fs.linkSync(own, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.unlinkSync(own)
  }
}

function read(file: string): Holder | 'gone' | 'unreadable' {
  try {
    const holder = HOLDER.read(fs.readFileSync(file, 'utf8'))
    return typeof holder.pid === 'number' && typeof holder.started === 'string' ? holder : 'unreadable'
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : 'unreadable'
  }
}

/** Removes a stale lock. If another start has already replaced it, that new lock is restored. */
function setAside(file: string, stale: Holder | 'unreadable'): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    fs.renameSync(file, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = read(aside)
  if (JSON.stringify(moved) !== JSON.stringify(stale) && moved !== 'unreadable') {
    try {
      fs.linkSync(aside, file)
    } catch {
      // a third start holds the lock now; the next attempt finds it
    }
  }
  fs.unlinkSync(aside)
}

/** Ends a table engine that outlived its killed keeper and still has the file open. */
function endLeftEngine(engine: ProcessIdentity): void {
  if (runs(engine)) process.kill(engine.pid, 'SIGKILL')
}

function held(file: string, self: ProcessIdentity): Lock {
  return {
    noteEngine: (pid) => writeWhole(file, JSON.stringify({ ...self, engine: identify(pid) })),
    release: () => {
      const holder = read(file)
      if (typeof holder === 'object' && holder.pid === self.pid && holder.started === self.started) fs.unlinkSync(file)
    },
  }
}
