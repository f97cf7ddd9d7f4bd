import type { Sweep } from '../../shared/base/time.ts'
import { ALARM_SWEEPS } from '../../shared/audit/alarms/store.ts'
import { EXPORT } from '../../shared/audit-exports/export.ts'
import { CONNECTION_SWEEPS } from '../../shared/cloud/connections/requests/store.ts'
import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { CERTIFICATE_SWEEPS } from '../../shared/certificates/sweeps.ts'
import { HTTP_SWEEPS } from '../../shared/http/sweeps.ts'
import { resealDomain } from '../../shared/identity/domains/reseal-domain.ts'
import { identitySweeps } from '../../shared/identity/sweeps.ts'
import { domainKeys } from '../../shared/keyring/domain-key-store.ts'
import { STORE_SWEEPS, SWEEP_COUNTS, workOff, type SweepRow } from '../../shared/store/due.ts'
import { VAULT_SWEEPS } from '../../shared/vault/keys/sweeps.ts'
import { purgeSteps } from './purge-steps.ts'
import { carried, WORK_SWEEPS } from '../../shared/work/sweeps.ts'

/** Every kind of due work. Rows of clouds are loaded for each sweep: they carry no SDK. */
async function sweepRows(): Promise<readonly SweepRow[]> {
  const ofClouds = await Promise.all(CLOUDS.filter(isOffered).map(async ({ sweeps }) => (await sweeps?.()) ?? []))
  return [
    ...STORE_SWEEPS,
    ...HTTP_SWEEPS,
    ...VAULT_SWEEPS,
    ...CERTIFICATE_SWEEPS,
    ...WORK_SWEEPS,
    ...carried('export', EXPORT),
    ...CONNECTION_SWEEPS,
    ...ALARM_SWEEPS,
    ...ofClouds.flat(),
    ...identitySweeps(purgeSteps),
  ]
}

/** Works off what is due: key states, lists to tidy, expired items, work to resume, remains of what was deleted. */
export async function sweepDue(sweep: Sweep): Promise<Record<string, number>> {
  const answer: Record<string, number> = {}
  const rows = await sweepRows()
  for (const name of SWEEP_COUNTS) {
    answer[name] = 0
    for (const row of rows.filter(({ counts }) => counts === name)) answer[name] += await workOff(row, sweep)
  }
  return answer
}

/** Continues to reseal what former domain keys sealed. */
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
