import { approvalsRoom } from './approvals/room.ts'
import { auditExportsRoom } from './audit-exports/room.ts'
import { alarmsRoom } from './audit/alarms/room.ts'
import { forwardingRoom } from './audit/forwarding/room.ts'
import { auditRoom } from './audit/room.ts'
import type { RoomRow } from './base/room.ts'
import { certificatesRoom } from './certificates/room.ts'
import type { CloudRow } from './cloud/cloud-row.ts'
import { connectionsRoom } from './cloud/connections/room.ts'
import { syslogRoom } from './cloud/connections/syslog/room.ts'
import { settingsRoom } from './cloud/settings/room.ts'
import { workRowsOf, type Protocol } from './endpoint/protocol.ts'
import { emergencyRoom } from './emergency/room.ts'
import { httpRoom } from './http/room.ts'
import { identityRoom } from './identity/room.ts'
import { keyringRoom } from './keyring/room.ts'
import { levelsRoom } from './levels/room.ts'
import { metricsRoom } from './metrics/room.ts'
import { storeRoom } from './store/room.ts'
import { vaultRoom } from './vault/room.ts'
import { workRoom } from './work/room.ts'

/**
 * All rows of the service with these clouds and protocols. The data of a deleted domain is removed in this order: first
 * the endpoints, which could still be called, last the connections.
 */
export const roomsWith = (clouds: readonly CloudRow[], protocols: readonly Protocol[]): readonly RoomRow[] => [
  ...protocols,
  forwardingRoom,
  auditExportsRoom,
  certificatesRoom,
  approvalsRoom,
  emergencyRoom,
  levelsRoom,
  vaultRoom,
  workRoom,
  alarmsRoom,
  ...clouds,
  ...protocols.flatMap(workRowsOf),
  settingsRoom,
  connectionsRoom,
  syslogRoom,
  auditRoom,
  metricsRoom,
  identityRoom,
  keyringRoom,
  httpRoom,
  storeRoom,
]
