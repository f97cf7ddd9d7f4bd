import { notThere, Refusal } from '../../base/errors.ts'
import { differences } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import { listed, type ResourceList } from '../../resource/listed.ts'
import type { Stored } from '../../store/entity.ts'
import type { Alarm, AlarmQuery } from './model.ts'
import { alarms } from './store.ts'

/** The alarms of the caller's domain, newest first. */
export function listAlarms({ caller }: Context, query: AlarmQuery): Promise<ResourceList<Alarm>> {
  const { state, severity, source, name } = query
  const isOn = state?.every((one) => one === 'on') === true
  return listed(alarms, caller.domain.id, query, {
    served: isOn ? 'on' : 'all',
    order: 'newest first',
    filters: { ...(!isOn && { state }), severity, source },
    patterns: { name },
    present: ({ item }) => item,
  })
}

/** @throws Refusal NOT_FOUND */
export async function getAlarm({ caller }: Context, id: string): Promise<Stored<Alarm>> {
  const stored = await alarms.get(caller.domain.id, id)
  if (stored === undefined) throw notThere('There is no such alarm.')
  return stored
}

async function changeAlarm(
  context: Context,
  id: string,
  change: (alarm: Alarm) => Partial<Alarm>,
): Promise<Stored<Alarm>> {
  const { caller, changes, now } = context
  const stored = await getAlarm(context, id)
  assertIfMatch(context, stored)
  const before = stored.item
  const after: Alarm = { ...before, ...change(before), updatedAt: now.toISOString() }
  changes.update(alarms, caller.domain.id, stored, after)
  const fields = ['state', 'acknowledgedBy', 'clearedBy'] as const
  context.about({ uri: after.uri, name: after.name, ...differences<Alarm>(before, after, fields), record: before })
  return { item: after, rev: stored.rev + 1 }
}

/** Notes who has seen an alarm. It stays as it is. @throws Refusal NOT_FOUND, STATE_CONFLICT, VERSION_STALE */
export const acknowledgeAlarm = (context: Context, id: string): Promise<Stored<Alarm>> =>
  changeAlarm(context, id, ({ acknowledgedBy }) => {
    if (acknowledgedBy !== undefined)
      throw new Refusal('STATE_CONFLICT', `The alarm was acknowledged by ${acknowledgedBy} already.`)
    return { acknowledgedAt: context.now.toISOString(), acknowledgedBy: context.caller.username }
  })

/** Turns an alarm off. The next occurrence is a new one. @throws Refusal NOT_FOUND, STATE_CONFLICT, VERSION_STALE */
export const clearAlarm = (context: Context, id: string): Promise<Stored<Alarm>> =>
  changeAlarm(context, id, ({ state }) => {
    if (state === 'off') throw new Refusal('STATE_CONFLICT', 'The alarm is off already.')
    return { state: 'off', clearedAt: context.now.toISOString(), clearedBy: context.caller.username }
  })
