import { isDeepStrictEqual } from 'node:util'
import { BoundedCache } from '../../../../shared/base/bounded-cache.ts'
import { optionalChoice, optionalInteger, optionalText, type Input } from '../../../simulators/toolkit/aws/input.ts'
import { ServiceError } from '../../../simulators/toolkit/service-error.ts'
import { DEFAULT_GROUP, nameIn, optionalName, readSchedule } from './request.ts'
import type { RestOperation } from './rest.ts'
import {
  arnOf,
  describeGroup,
  describeSchedule,
  groupArnOf,
  keyOf,
  summarizeSchedule,
  type Schedule,
} from './schedule.ts'
import type { Shelf } from './shelf.ts'

export interface House {
  readonly shelf: Shelf
  /** In milliseconds. */
  readonly now: () => number
  /** Called after each change of a schedule; `undefined` after a deletion. */
  readonly changed: (key: string, schedule: Schedule | undefined) => void
}

const MAX_PAGE = 100
const CLIENT_TOKEN = /^[a-zA-Z0-9\-_]+$/
/** Ours: the service does not document how long it remembers a token. */
const TOKENS_KEPT = 1_000

const conflict = (message: string) => new ServiceError('ConflictException', message, 409)
const notFound = (message: string) => new ServiceError('ResourceNotFoundException', message, 404)

/** The supported operations; those on tags are missing. */
export function operationsOf(house: House): readonly RestOperation[] {
  const once = repeatable()
  const schedule = (method: RestOperation['method'], act: RestOperation['act']): RestOperation => ({
    method,
    collection: 'schedules',
    named: true,
    act,
  })
  const group = (method: RestOperation['method'], act: RestOperation['act']): RestOperation => ({
    method,
    collection: 'schedule-groups',
    named: true,
    act,
  })
  return [
    schedule(
      'POST',
      once('CreateSchedule', (input) => createSchedule(house, input)),
    ),
    schedule('GET', (input) => describeSchedule(foundSchedule(house, input, 'groupName'))),
    schedule(
      'PUT',
      once('UpdateSchedule', (input) => updateSchedule(house, input)),
    ),
    schedule(
      'DELETE',
      once('DeleteSchedule', (input) => deleteSchedule(house, input)),
    ),
    { method: 'GET', collection: 'schedules', named: false, act: (input) => listSchedules(house, input) },
    group(
      'POST',
      once('CreateScheduleGroup', (input) => createGroup(house, input)),
    ),
    group('GET', (input) => describeGroup(foundGroup(house, nameIn(input, 'Name')))),
    group(
      'DELETE',
      once('DeleteScheduleGroup', (input) => deleteGroup(house, input)),
    ),
    { method: 'GET', collection: 'schedule-groups', named: false, act: (input) => listGroups(house, input) },
  ]
}

/**
 * A repeated request with the same token gets the same answer without effect; another request with that token is
 * refused. Bodies spell the token `ClientToken`, queries `clientToken`.
 */
function repeatable() {
  const answered = new BoundedCache<{ readonly input: Input; readonly answer: object }>(TOKENS_KEPT)
  return (operation: string, act: RestOperation['act']): RestOperation['act'] =>
    (input) => {
      const bounds = { max: 64, pattern: CLIENT_TOKEN }
      const token = optionalText(input, 'ClientToken', bounds) ?? optionalText(input, 'clientToken', bounds)
      if (token === undefined) return act(input)
      const known = answered.get(`${operation} ${token}`)
      if (known !== undefined) {
        if (isDeepStrictEqual(known.input, input)) return known.answer
        throw conflict(`The client token ${token} was used with other parameters.`)
      }
      const answer = act(input)
      answered.set(`${operation} ${token}`, { input, answer })
      return answer
    }
}

function createSchedule({ shelf, now, changed }: House, input: Input): object {
  const at = now()
  const wanted = readSchedule(input, at)
  foundGroup({ shelf }, wanted.group)
  if (shelf.schedule(keyOf(wanted)) !== undefined) throw conflict(`Schedule ${wanted.name} already exists.`)
  const schedule = { ...wanted, createdAt: at, modifiedAt: at }
  shelf.putSchedule(schedule)
  changed(keyOf(schedule), schedule)
  return { ScheduleArn: arnOf(schedule) }
}

/** Replaces the whole schedule: absent members are set to their defaults. */
function updateSchedule({ shelf, now, changed }: House, input: Input): object {
  const at = now()
  const wanted = readSchedule(input, at)
  const { createdAt } = foundSchedule({ shelf }, { Name: wanted.name, GroupName: wanted.group }, 'GroupName')
  const schedule = { ...wanted, createdAt, modifiedAt: at }
  shelf.putSchedule(schedule)
  changed(keyOf(schedule), schedule)
  return { ScheduleArn: arnOf(schedule) }
}

function deleteSchedule({ shelf, changed }: House, input: Input): object {
  const key = keyOf(foundSchedule({ shelf }, input, 'groupName'))
  shelf.removeSchedule(key)
  changed(key, undefined)
  return {}
}

function listSchedules({ shelf }: House, input: Input): object {
  const group = optionalName(input, 'ScheduleGroup')
  const prefix = optionalName(input, 'NamePrefix') ?? ''
  const state = optionalChoice(input, 'State', ['ENABLED', 'DISABLED'])
  if (group !== undefined) foundGroup({ shelf }, group)
  const { found, next } = pageOf(input, shelf.keysAfter, group === undefined ? '' : `${group}/${prefix}`, (key) => {
    const schedule = shelf.schedule(key)
    const shown = schedule?.name.startsWith(prefix) === true && (state === undefined || schedule.state === state)
    return shown ? schedule : undefined
  })
  return { Schedules: found.map(summarizeSchedule), ...next }
}

function createGroup({ shelf, now }: House, input: Input): object {
  const name = nameIn(input, 'Name')
  if (shelf.group(name) !== undefined) throw conflict(`Schedule group ${name} already exists.`)
  shelf.putGroup({ name, createdAt: now(), modifiedAt: now() })
  return { ScheduleGroupArn: groupArnOf(name) }
}

/** Ours: deletes at once. The service reports the group as DELETING for a while. */
function deleteGroup({ shelf, changed }: House, input: Input): object {
  const { name } = foundGroup({ shelf }, nameIn(input, 'Name'))
  if (name === DEFAULT_GROUP) throw new ServiceError('ValidationException', 'The default group cannot be deleted.')
  const members = shelf.schedules().filter(({ group }) => group === name)
  shelf.removeGroup(name)
  for (const member of members) changed(keyOf(member), undefined)
  return {}
}

function listGroups({ shelf }: House, input: Input): object {
  const prefix = optionalName(input, 'NamePrefix') ?? ''
  const { found, next } = pageOf(input, shelf.groupsAfter, prefix, shelf.group)
  return { ScheduleGroups: found.map(describeGroup), ...next }
}

function foundGroup({ shelf }: Pick<House, 'shelf'>, name: string) {
  const group = shelf.group(name)
  if (group === undefined) throw notFound(`Schedule group ${name} does not exist.`)
  return group
}

/** @param groupField bodies spell it `GroupName`, queries `groupName` */
function foundSchedule({ shelf }: Pick<House, 'shelf'>, input: Input, groupField: 'GroupName' | 'groupName'): Schedule {
  const name = nameIn(input, 'Name')
  const group = optionalName(input, groupField) ?? DEFAULT_GROUP
  const schedule = shelf.schedule(keyOf({ group, name }))
  if (schedule === undefined) throw notFound(`Schedule ${name} does not exist.`)
  return schedule
}

/**
 * One page of entries whose names begin with `prefix`, in order of the names. A token is the last scanned name.
 * @param shown `undefined` for entries that a filter excludes
 */
function pageOf<T>(
  input: Input,
  after: (name: string | undefined, count: number) => string[],
  prefix: string,
  shown: (name: string) => T | undefined,
): { found: T[]; next: { NextToken?: string } } {
  const size = optionalInteger(input, 'MaxResults', { min: 1, max: MAX_PAGE }) ?? MAX_PAGE
  const token = optionalText(input, 'NextToken', { max: 2048 })
  const found: T[] = []
  let last = token === undefined ? undefined : Buffer.from(token, 'base64url').toString('utf8')
  // The first possible name is the prefix itself, so the scan starts just before it.
  if (last === undefined && prefix !== '') {
    const itself = shown(prefix)
    if (itself !== undefined) found.push(itself)
    last = prefix
  }
  for (;;) {
    const names = after(last, size)
    for (const name of names) {
      if (!name.startsWith(prefix)) return { found, next: {} }
      if (found.length === size) return { found, next: { NextToken: Buffer.from(last ?? '').toString('base64url') } }
      const value = shown(name)
      if (value !== undefined) found.push(value)
      last = name
    }
    if (names.length === 0) return { found, next: {} }
  }
}
