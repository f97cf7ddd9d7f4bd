import { openJournal } from '../../../simulators/toolkit/journal.ts'
import { sortedNames } from '../../../simulators/toolkit/sorted-names.ts'
import { keyOf, type Schedule, type ScheduleGroup } from './schedule.ts'

/** One pending delivery. Times are in milliseconds. */
export interface Waiting {
  /** `group/name` of its schedule */
  readonly key: string
  readonly scheduledTime: number
  /** Number of the next attempt, from 1. */
  readonly attempt: number
  /** Earliest time of the attempt. */
  readonly at: number
}

/** Progress of the stand-in: everything due up to `until` is delivered, except `waiting`. */
export interface Looked {
  readonly until: number
  readonly waiting: readonly Waiting[]
}

/** Lines of the journal. */
type Line =
  | { readonly kind: 'group'; readonly group: ScheduleGroup }
  | { readonly kind: 'no-group'; readonly name: string }
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'no-schedule'; readonly key: string }
  | { readonly kind: 'looked'; readonly looked: Looked }

function subjectOf(line: Line): string {
  if (line.kind === 'group') return `group ${line.group.name}`
  if (line.kind === 'no-group') return `group ${line.name}`
  if (line.kind === 'schedule') return `schedule ${keyOf(line.schedule)}`
  return line.kind === 'no-schedule' ? `schedule ${line.key}` : 'looked'
}

/** The schedules and their groups. Each method writes its change to the file before it returns. */
export interface Shelf {
  readonly group: (name: string) => ScheduleGroup | undefined
  readonly putGroup: (group: ScheduleGroup) => void
  /** Removes its schedules too. */
  readonly removeGroup: (name: string) => void
  /** Names of groups after `name`, in order. */
  readonly groupsAfter: (name: string | undefined, count: number) => string[]
  readonly schedule: (key: string) => Schedule | undefined
  readonly schedules: () => readonly Schedule[]
  readonly putSchedule: (schedule: Schedule) => void
  readonly removeSchedule: (key: string) => void
  /** Keys after `key`, in order. */
  readonly keysAfter: (key: string | undefined, count: number) => string[]
  readonly looked: () => Looked | undefined
  readonly noteLooked: (looked: Looked) => void
  readonly close: () => void
}

/** @param file JSON lines, reduced to the current state when it is opened; without it, nothing is written */
export function openShelf(file?: string): Shelf {
  const groups = new Map<string, ScheduleGroup>()
  const schedules = new Map<string, Schedule>()
  const groupNames = sortedNames()
  const keys = sortedNames()
  let looked: Looked | undefined

  const journal = openJournal<Line>(file, { subjectOf, isRemoval: ({ kind }) => kind.startsWith('no-') }, (line) => {
    if (line.kind === 'group') groups.set(line.group.name, line.group)
    else if (line.kind === 'schedule') schedules.set(keyOf(line.schedule), line.schedule)
    else if (line.kind === 'looked') looked = line.looked
  })
  groupNames.addAll([...groups.keys()])
  keys.addAll([...schedules.keys()])
  const forget = (key: string): void => {
    schedules.delete(key)
    keys.remove(key)
  }
  return {
    group: (name) => groups.get(name),
    putGroup: (group) => {
      journal.write([{ kind: 'group', group }])
      groups.set(group.name, group)
      groupNames.add(group.name)
    },
    removeGroup: (name) => {
      const members = [...schedules].filter(([, { group }]) => group === name).map(([key]) => key)
      journal.write([...members.map((key): Line => ({ kind: 'no-schedule', key })), { kind: 'no-group', name }])
      members.forEach(forget)
      groups.delete(name)
      groupNames.remove(name)
    },
    groupsAfter: groupNames.after,
    schedule: (key) => schedules.get(key),
    schedules: () => [...schedules.values()],
    putSchedule: (schedule) => {
      journal.write([{ kind: 'schedule', schedule }])
      schedules.set(keyOf(schedule), schedule)
      keys.add(keyOf(schedule))
    },
    removeSchedule: (key) => {
      journal.write([{ kind: 'no-schedule', key }])
      forget(key)
    },
    keysAfter: keys.after,
    looked: () => looked,
    noteLooked: (now) => {
      looked = now
      journal.write([{ kind: 'looked', looked: now }])
    },
    close: journal.close,
  }
}
