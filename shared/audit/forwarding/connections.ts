import { extensionPoint } from '../../base/extension-point.ts'
import type { Context } from '../../http/context.ts'
import type { SyslogTarget } from './send/send-syslog.ts'

/** Connections to syslog servers, which are in a room above. */
export interface SyslogConnections {
  /**
   * The id of a connection that a forwarder will use, which cannot be deleted unnoticed meanwhile.
   * @throws Refusal NOT_FOUND, RULE_BROKEN for a connection to another service
   */
  readonly use: (context: Context, nameOrId: string) => Promise<string>
  /** `undefined` when it is not there */
  readonly targetOf: (domain: string, id: string) => Promise<SyslogTarget | undefined>
}

export const syslogConnections = extensionPoint<() => Promise<SyslogConnections>>('Connections to syslog servers')

/** @throws Error, a fault, without a row */
export async function connectionsToSyslog(): Promise<SyslogConnections> {
  const [load] = syslogConnections.rows()
  if (load === undefined) throw new Error('There are no connections to syslog servers')
  return load()
}
