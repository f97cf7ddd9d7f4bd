import type { RoomRow } from '../../../base/room.ts'
import { SYSLOG } from './service.ts'

/** Connections to syslog servers, besides those to clouds. */
export const syslogRoom: RoomRow = {
  name: SYSLOG,
  connection: async () => (await import('./kind.ts')).syslogConnectionKind,
  syslogConnections: async () => (await import('./for-forwarders.ts')).forForwarders,
}
