import type { AuditRecord } from '../../http/audit/model.ts'
import type { Stored } from '../../store/entity.ts'
import { BUILTIN_RULES } from './builtin-rules.ts'
import { conditionOf } from './condition.ts'
import type { AlarmConfig } from './model.ts'
import { ownRules, settingsOf, shownBuiltin } from './rules.ts'
import type { StoredRule } from './store.ts'

/** An enabled rule, prepared for evaluation. */
export interface ActiveRule extends Pick<
  AlarmConfig,
  'id' | 'name' | 'description' | 'severity' | 'threshold' | 'interval' | 'updatedAt'
> {
  readonly holds: (record: AuditRecord, now: Date) => { readonly holds: boolean; readonly error?: string }
  readonly subjectOf: (record: AuditRecord) => string
  readonly endsRow: (record: AuditRecord) => boolean
  /** for a rule of the domain: it is disabled when it costs too much */
  readonly stored?: Stored<StoredRule>
}

/** The enabled rules of a domain. */
export async function activeRules(domain: string): Promise<ActiveRule[]> {
  const [settings, own] = await Promise.all([settingsOf(domain), ownRules(domain)])
  const builtin = BUILTIN_RULES.map((rule) => ({
    rule,
    shown: shownBuiltin(domain, rule, settings.get(rule.id)?.item),
  }))
  return [
    ...builtin
      .filter(({ shown }) => shown.enabled)
      .map(({ rule, shown }): ActiveRule => ({
        ...shown,
        holds: (record) => ({ holds: rule.holds(record) }),
        subjectOf: rule.subjectOf ?? (() => ''),
        endsRow: rule.endsRow ?? (() => false),
      })),
    ...(await Promise.all(
      own
        .filter(({ item }) => item.enabled)
        .map(async (stored): Promise<ActiveRule> => ({
          ...stored.item,
          stored,
          holds: await conditionOf(stored.item.condition),
          subjectOf: () => '',
          endsRow: () => false,
        })),
    )),
  ]
}
