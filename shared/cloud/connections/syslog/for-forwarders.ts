import type { SyslogConnections } from '../../../audit/forwarding/connections.ts'
import { ruleBroken } from '../../../base/errors.ts'
import { connectionById, findConnection } from '../find-connection.ts'
import { connections } from '../store.ts'
import type { SyslogConnectionFields } from './model.ts'
import { SYSLOG } from './service.ts'

/** Connections as forwarders of logs use them. */
export const forForwarders: SyslogConnections = {
  use: async (context, nameOrId) => {
    const domain = context.caller.domain.id
    const stored = await findConnection(context, nameOrId, { pointer: '#/connection_id', detail: 'is not there' })
    if (stored.item.service !== SYSLOG) throw ruleBroken('connection_id', `must be a connection to ${SYSLOG}`)
    // Staged unchanged, so that a concurrent deletion fails its condition and checks for users again.
    context.changes.update(connections, domain, stored, stored.item)
    return stored.item.id
  },
  targetOf: async (domain, id) => {
    const stored = await connectionById<SyslogConnectionFields>(SYSLOG, domain, id)
    return stored && { host: stored.item.host, port: stored.item.port, ...stored.item.syslog_params }
  },
}
