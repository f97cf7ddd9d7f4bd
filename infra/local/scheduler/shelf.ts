import * as fs from 'node:fs'
import { sortedNames } from '../../simulators/toolkit/sorted-names.ts'
import { keyOf } from './schedule.ts'
import type { Schedule, ScheduleGroup } from './schedule.ts'

/** One delivery that is still to be made. Times are in milliseconds. */
export interface Waiting {
  /** `group/name` of its schedule */
  readonly key: string
  readonly scheduledTime: number
  /** Of the next try, counted from 1. */
  readonly attempt: number
  /** Not before this. */
  readonly at: number
}

/** How far the stand-in has come: what was due up to `until` is delivered, but for `waiting`. */
export interface Looked {
  readonly until: number
  readonly waiting: readonly Waiting[]
}

/** What may be written down: the last line of a thing is what holds. */
type Line =
  | { readonly kind: 'group'; readonly group: ScheduleGroup }
  | { readonly kind: 'no-group'; readonly name: string }
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'no-schedule'; readonly key: string }
  | { readonly kind: 'looked'; readonly looked: Looked }

/** The schedules and their groups. What a method changes is in the file when it returns. */
export interface Shelf {
  readonly group: (name: string) => ScheduleGroup | undefined
  readonly putGroup: (group: ScheduleGroup) => void
  /** With all its schedules. */
  readonly removeGroup: (name: string) => void
  /** Names of groups after one, in order. */
  readonly groupsAfter: (name: string | undefined, count: number) => string[]
  readonly schedule: (key: string) => Schedule | undefined
  readonly schedules: () => readonly Schedule[]
  readonly putSchedule: (schedule: Schedule) => void
  readonly removeSchedule: (key: string) => void
  /** Keys after one, in order. */
  readonly keysAfter: (key: string | undefined, count: number) => string[]
  readonly looked: () => Looked | undefined
  readonly noteLooked: (looked: Looked) => void
  readonly close: () => void
}

/**
 * @param file JSON lines, shortened to what still holds when it is opened; nothing is written without
 */
export function openShelf(file?: string): Shelf {
  const groups = new Map<string, ScheduleGroup>()
  const schedules = new Map<string, Schedule>()
  const groupNames = sortedNames()
  const keys = sortedNames()
  let looked: Looked | undefined

  for (const line of file === undefined ? [] : readLines(file)) {
    if (line.kind === 'group') groups.set(line.group.name, line.group)
    else if (line.kind === 'no-group') groups.delete(line.name)
    else if (line.kind === 'schedule') schedules.set(keyOf(line.schedule), line.schedule)
    else if (line.kind === 'no-schedule') schedules.delete(line.key)
    else looked = line.looked
  }
  groupNames.addAll([...groups.keys()])
  keys.addAll([...schedules.keys()])
  const write = openFile(file, [
    ...[...groups.values()].map((group): Line => ({ kind: 'group', group })),
    ...[...schedules.values()].map((schedule): Line => ({ kind: 'schedule', schedule })),
    ...(looked === undefined ? [] : [{ kind: 'looked', looked } as const]),
  ])

  const forget = (key: string): void => {
    schedules.delete(key)
    keys.remove(key)
  }
  return {
    group: (name) => groups.get(name),
    putGroup: (group) => {
      write.lines([{ kind: 'group', group }])
      groups.set(group.name, group)
      groupNames.add(group.name)
    },
    removeGroup: (name) => {
      const members = [...schedules].filter(([, { group }]) => group === name).map(([key]) => key)
      write.lines([...members.map((key): Line => ({ kind: 'no-schedule', key })), { kind: 'no-group', name }])
      members.forEach(forget)
      groups.delete(name)
      groupNames.remove(name)
    },
    groupsAfter: groupNames.after,
    schedule: (key) => schedules.get(key),
    schedules: () => [...schedules.values()],
    putSchedule: (schedule) => {
      write.lines([{ kind: 'schedule', schedule }])
      schedules.set(keyOf(schedule), schedule)
      keys.add(keyOf(schedule))
    },
    removeSchedule: (key) => {
      write.lines([{ kind: 'no-schedule', key }])
      forget(key)
    },
    keysAfter: keys.after,
    looked: () => looked,
    noteLooked: (now) => {
      looked = now
      write.lines([{ kind: 'looked', looked: now }])
    },
    close: write.close,
  }
}

interface LineFile {
  readonly lines: (lines: readonly Line[]) => void
  readonly close: () => void
}

const NO_FILE: LineFile = { lines: () => undefined, close: () => undefined }

/** Begins the file anew with `first`, and goes on from there. One call is one write, however many lines it has. */
function openFile(file: string | undefined, first: readonly Line[]): LineFile {
  if (file === undefined) return NO_FILE
  const fresh = `${file}.new`
  const descriptor = fs.openSync(fresh, 'w', 0o600)
  const write = (lines: readonly Line[]) =>
    void fs.writeSync(descriptor, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  write(first)
  fs.renameSync(fresh, file)
  return { lines: write, close: () => fs.closeSync(descriptor) }
}

function readLines(file: string): Line[] {
  if (!fs.existsSync(file)) return []
  return fs.readFileSync(file, 'utf8').split('\n').flatMap(parsedLine)
}

/** A line that a crash cut short was never answered, and counts for nothing. */
function parsedLine(line: string): Line[] {
  try {
    return [JSON.parse(line) as Line]
  } catch {
    return []
  }
}
