import { onlyOf, type Load } from '../../base/room.ts'
import type { Context } from '../../http/context.ts'
import type { SyslogTarget } from './send/send-syslog.ts'

declare module '../../base/room.ts' {
  interface RoomRow {
    readonly syslogConnections?: Load<SyslogConnections>
  }
}

/** Connections to syslog servers, which are in a room above. */
export interface SyslogConnections {
  /**
   * The id of a connection for a forwarder. A concurrent deletion of the connection is detected.
   * @throws Refusal NOT_FOUND, RULE_BROKEN for a connection to another service
   */
  readonly use: (context: Context, nameOrId: string) => Promise<string>
  /** `undefined` when it does not exist */
  readonly targetOf: (domain: string, id: string) => Promise<SyslogTarget | undefined>
}

/** @throws Error, a fault, without a row */
export const connectionsToSyslog = (): Promise<SyslogConnections> => onlyOf('syslogConnections')
