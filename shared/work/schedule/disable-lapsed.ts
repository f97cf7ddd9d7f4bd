import { Refusal } from '../../base/errors.ts'
import type { Lapse } from '../../http/initiators.ts'
import { recordOnBehalf } from '../../http/on-behalf.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { jobConfigs, jobConfigStates, type StoredJobConfig, type StoredJobConfigState } from './configs/store.ts'
import { keepSchedule } from './keep-schedule.ts'

/** A start by schedule. */
interface Occasion {
  /** id of the run that does not begin */
  readonly id: string
  /** the scheduled time */
  readonly at: Date
}

/**
 * Disables a configuration whose author has lost access to the domain, and its schedules. Ours: the configuration
 * stays, and the caller who enables it becomes its author.
 * @throws Stale when the configuration changed meanwhile; Refusal UNAVAILABLE: the sweeper disables the schedules then
 */
export async function disableLapsed(
  domain: string,
  config: Stored<StoredJobConfig>,
  state: Stored<StoredJobConfigState>,
  { id, at }: Occasion,
  lapse: Lapse,
  now: Date,
): Promise<void> {
  const { item } = config
  const { initiator, name, uri } = item
  const changes = new Changes()
  changes.update(jobConfigs, domain, config, { ...item, disabled: true, updatedAt: now.toISOString() })
  changes.update(jobConfigStates, domain, state, {
    ...state.item,
    last_occasion: at.toISOString(),
    dueAt: now.toISOString(),
  })
  recordOnBehalf(
    changes,
    {
      initiator,
      now,
      traceId: id,
      clientIp: '',
      summary: 'Disable Job Config',
      fingerprint: `job ${id}`,
      action: 'by its schedule',
    },
    { uri, name, before: { disabled: false }, after: { disabled: true } },
    new Refusal(
      'ACTION_DENIED',
      `No run began and the configuration was disabled: its author ${initiator.username} ${lapse}.`,
    ),
  )
  await changes.commit(now)
  await keepSchedule(domain, item.id, now)
}
