import * as z from 'zod'
import { trigger, type AnyTrigger } from '../base/trigger.ts'
import type { Sweep } from '../base/time.ts'
import { domainKeys } from '../keyring/domain-key-store.ts'
import { workOff } from '../store/due.ts'
import { object } from '../base/lazy-fields.ts'
import { bootstrap } from './bootstrap.ts'
import { resealDomain } from './domains/reseal-domain.ts'
import { recoverAdministrator } from './recover-administrator.ts'

/** Re-encrypts the data of former domain keys with the present key. */
export const resealKeys = async (sweep: Sweep): Promise<{ resealed: number }> => ({
  resealed: await workOff(
    {
      due: 'reseal-domain',
      work: async ({ domain, id }) => {
        const key = await domainKeys.get(domain, id)
        if (key) await resealDomain(domain, id, sweep.now, sweep.hasTime)
      },
    },
    sweep,
  ),
})

export const IDENTITY_TRIGGERS: readonly AnyTrigger[] = [
  trigger({
    name: 'bootstrap',
    event: object(() => ({ admin_password: z.string().optional() })),
    run: ({ admin_password }, { now }) => bootstrap(now, admin_password),
    secretAnswer: true,
  }),
  trigger({
    name: 'recover-administrator',
    event: object(() => ({ username: z.string().optional() })),
    run: ({ username }, { now }) => recoverAdministrator(now, username),
    secretAnswer: true,
  }),
]
