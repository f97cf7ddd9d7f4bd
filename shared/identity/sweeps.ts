import { loadedOf } from '../base/room.ts'
import { expiring, type SweepRow } from '../store/due.ts'
import { purgeDomain } from './domains/purge-domain.ts'
import { purges } from './domains/purge-store.ts'
import { devicePolls, usedLogins } from './tokens/external/used-log-ins.ts'
import { refreshTokens } from './tokens/store.ts'

export const IDENTITY_SWEEPS: readonly SweepRow[] = [
  expiring('expire-refresh-token', refreshTokens),
  expiring('expire-used-log-in', usedLogins),
  expiring('expire-device-poll', devicePolls),
  {
    due: 'purge-domain',
    counts: 'purged',
    work: async ({ domain, id }, sweep) => {
      const stored = await purges.get(domain, id)
      if (stored) await purgeDomain(stored, (await loadedOf('purge')).flat(), sweep)
    },
  },
]
