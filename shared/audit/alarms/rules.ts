import { nameTaken, Refusal } from '../../base/errors.ts'
import { differences, patched } from '../../base/fields.ts'
import { accountOf, resourceUri } from '../../base/ids.ts'
import type { Context } from '../../http/context.ts'
import { patternTest } from '../../http/lists/patterns.ts'
import { assertIfMatch } from '../../resource/if-match.ts'
import type { Kind } from '../../resource/kind.ts'
import { fieldTests, listedWhole, type ResourceList } from '../../resource/listed.ts'
import { changeRecord, getRecord, newCommonFields, removeRecord, stageNew } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { pageOf } from '../../store/list.ts'
import { BUILTIN_RULES, type BuiltinRule } from './builtin-rules.ts'
import { assertCompiles } from './condition.ts'
import type { AlarmConfig, AlarmConfigQuery, CreateAlarmConfig, UpdateAlarmConfig } from './model.ts'
import { alarmRules, builtinSettings, type BuiltinSetting, type StoredRule } from './store.ts'

/** Ours: a low number, since each rule is evaluated for every record of the domain. */
const RULES_MOST = 20

const AUDITED = ['name', 'description', 'severity', 'condition', 'threshold', 'interval', 'enabled'] as const
/** Fields of a built-in rule that can be changed. */
const ADJUSTABLE: readonly string[] = ['severity', 'enabled']

const uriOf = (domain: string, id: string): string => resourceUri(domain, 'audit', 'alarm-configs', id)
const ALWAYS = new Date(0).toISOString()

/** Rules that belong to a domain. */
const OWN: Kind<StoredRule, object, AlarmConfig> = {
  entity: alarmRules,
  noun: 'alarm rule',
  uri: uriOf,
  audited: AUDITED,
}

/** A built-in rule with the domain's changes. */
export function shownBuiltin(
  domain: string,
  { id, name, description, severity, threshold, interval }: BuiltinRule,
  setting?: BuiltinSetting,
): AlarmConfig {
  return {
    ...{ id, uri: uriOf(domain, id), account: accountOf(domain), createdAt: ALWAYS },
    updatedAt: setting?.updatedAt ?? ALWAYS,
    ...{ name, description, threshold, interval, builtin: true },
    severity: setting?.severity ?? severity,
    enabled: setting?.enabled ?? true,
  }
}

/** The rules that belong to the domain, oldest first. */
export const ownRules = async (domain: string): Promise<readonly Stored<StoredRule>[]> =>
  (await pageOf(alarmRules, domain, 'all', { skip: 0, limit: RULES_MOST, broken: 'leave out' })).items

/** The domain's changes of built-in rules, by their ids. */
export async function settingsOf(domain: string): Promise<ReadonlyMap<string, Stored<BuiltinSetting>>> {
  const ids = BUILTIN_RULES.map(({ id }) => id)
  return new Map((await builtinSettings.getMany(domain, ids, 'leave out')).map((stored) => [stored.item.id, stored]))
}

/** The rules of the caller's domain, the built-in ones first. */
export async function listRules({ caller }: Context, query: AlarmConfigQuery): Promise<ResourceList<AlarmConfig>> {
  const domain = caller.domain.id
  const [settings, own] = await Promise.all([settingsOf(domain), ownRules(domain)])
  const all = [
    ...BUILTIN_RULES.map((rule) => shownBuiltin(domain, rule, settings.get(rule.id)?.item)),
    ...own.map(({ item }) => item),
  ]
  const tests = fieldTests(query, ['name'])
  const isNamed = query.name === undefined ? () => true : patternTest(query.name)
  const wanted = all.filter((rule) => isNamed(rule.name) && tests.every((test) => test(rule)))
  return listedWhole(wanted, query, ({ createdAt }) => createdAt)
}

const isBuiltin = (id: string): boolean => BUILTIN_RULES.some((rule) => rule.id === id)

/** @throws Refusal NOT_FOUND */
export async function getRule(context: Context, id: string): Promise<Stored<AlarmConfig>> {
  const rule = BUILTIN_RULES.find((each) => each.id === id)
  if (rule === undefined) return getRecord(OWN, context, id)
  const domain = context.caller.domain.id
  const setting = await builtinSettings.get(domain, id)
  return { item: shownBuiltin(domain, rule, setting?.item), rev: setting?.rev ?? 0 }
}

/** @throws Refusal NAME_TAKEN for the name of a built-in rule; the table refuses duplicates of other names */
function assertNameFree(name: string | undefined): void {
  if (BUILTIN_RULES.some((rule) => rule.name === name)) throw nameTaken('alarm rule', name ?? '')
}

/** @throws Refusal RULE_BROKEN, NAME_TAKEN, STATE_CONFLICT */
export async function createRule(context: Context, body: CreateAlarmConfig): Promise<Stored<AlarmConfig>> {
  await context.once('compile', () => assertCompiles(body.condition))
  assertNameFree(body.name)
  await context.changes.relyOnRoom(
    alarmRules,
    context.caller.domain.id,
    { set: 'all', most: RULES_MOST },
    () => new Refusal('STATE_CONFLICT', `A domain has at most ${RULES_MOST} alarm rules of its own.`),
  )
  return stageNew(OWN, context, { ...newCommonFields(OWN, context), ...body, builtin: false })
}

/** @throws Refusal NOT_FOUND, RULE_BROKEN, NAME_TAKEN, VERSION_STALE */
export async function updateRule(context: Context, id: string, body: UpdateAlarmConfig): Promise<Stored<AlarmConfig>> {
  if (isBuiltin(id)) return adjustBuiltin(context, id, body)
  return changeRecord(OWN, context, id, async ({ last_error, ...before }) => {
    const { condition, name } = body
    if (condition !== undefined) await context.once('compile', () => assertCompiles(condition))
    assertNameFree(name)
    const isMended = condition !== undefined || body.enabled === true
    return { ...patched(before, body), ...(!isMended && last_error !== undefined && { last_error }) }
  })
}

/** @throws Refusal RULE_BROKEN for a field of a built-in rule that cannot be changed */
async function adjustBuiltin(context: Context, id: string, body: UpdateAlarmConfig): Promise<Stored<AlarmConfig>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const { item: before, rev } = await getRule(context, id)
  assertIfMatch(context, { rev })
  const errors = Object.keys(body)
    .filter((field) => !ADJUSTABLE.includes(field))
    .map((field) => ({ pointer: `#/${field}`, detail: 'cannot be changed of a built-in rule' }))
  if (errors.length > 0)
    throw new Refusal('RULE_BROKEN', 'Of a built-in rule, only enabled and severity can be changed.', { errors })
  const { enabled = before.enabled, severity = before.severity } = body
  const setting = { id, enabled, severity, updatedAt: now.toISOString() }
  const stored = await builtinSettings.get(domain, id)
  if (stored) changes.update(builtinSettings, domain, stored, setting)
  else changes.create(builtinSettings, domain, setting)
  const after = { ...before, ...setting }
  context.about({
    uri: after.uri,
    name: after.name,
    ...differences<AlarmConfig>(before, after, AUDITED),
    record: before,
  })
  return { item: after, rev: rev + 1 }
}

/** Keeps the rule's alarms. @throws Refusal NOT_FOUND, UNDELETABLE, VERSION_STALE */
export async function deleteRule(context: Context, id: string): Promise<void> {
  if (isBuiltin(id))
    throw new Refusal('UNDELETABLE', 'A built-in rule cannot be deleted: disable it by PATCH with {"enabled": false}.')
  await removeRecord(OWN, context, id)
}
