import { alarmsPurge } from '../../shared/audit/alarms/purge.ts'
import { forwardingPurge } from '../../shared/audit/forwarding/purge.ts'
import { connectionRequests } from '../../shared/cloud/connections/requests/store.ts'
import { settingsPurge } from '../../shared/cloud/settings/store.ts'
import { connections } from '../../shared/cloud/connections/store.ts'
import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import { credentialsPurge } from '../../shared/audit-exports/credentials/store.ts'
import { certificatesPurge } from '../../shared/certificates/purge.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { removing, type PurgeStep } from '../../shared/store/remove-some.ts'
import { vaultPurge } from '../../shared/vault/purge.ts'
import { workPurge } from '../../shared/work/purge.ts'

/** Everything that a deleted domain had beside its users: first the endpoints that could still be called, last the connections. */
export async function purgeSteps(): Promise<readonly PurgeStep[]> {
  const ofProtocols = await Promise.all(PROTOCOLS.map(async ({ purge }) => (await purge?.()) ?? []))
  const ofClouds = await Promise.all(CLOUDS.filter(isOffered).map(async ({ records }) => (await records()).purge))
  return [
    ...ofProtocols.flat(),
    ...forwardingPurge,
    credentialsPurge,
    ...certificatesPurge,
    ...vaultPurge,
    ...workPurge(),
    ...alarmsPurge,
    ...ofClouds.flat(),
    ...settingsPurge,
    removing(connectionRequests, 'all'),
    removing(connections, 'all'),
  ]
}
