import { openJournal } from '../../simulators/toolkit/journal.ts'
import { sortedNames } from '../../simulators/toolkit/sorted-names.ts'
import { keyOf, type Schedule, type ScheduleGroup } from './schedule.ts'

/** One delivery that is still to be made. Times are in milliseconds. */
export interface Waiting {
  /** `group/name` of its schedule */
  readonly key: string
  readonly scheduledTime: number
  /** Number of the next attempt, from 1. */
  readonly attempt: number
  /** Not before this. */
  readonly at: number
}

/** How far the stand-in has come: what was due up to `until` is delivered, but for `waiting`. */
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

/** The schedules and their groups. A change is in the file when the method returns. */
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
