import * as z from 'zod'
import { SYSLOG_FIELDS, SYSLOG_RULES } from '../../../audit/forwarding/forwarders/model.ts'
import { MESSAGE_FORMATS, TRANSPORTS } from '../../../audit/forwarding/format/model.ts'
import { rulesWithin, type Rule } from '../../../http/rules.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { CommonConnection, connectionBodies } from '../bodies.ts'
import { SYSLOG } from './service.ts'

const { host, port, transport, ca_cert, message_format } = SYSLOG_FIELDS
const SyslogParams = z.strictObject({ transport, ca_cert, message_format })

/** Fields of this kind, besides those of every connection. */
export const SyslogConnectionFields = z.object({ host, port, syslog_params: SyslogParams })
export type SyslogConnectionFields = z.infer<typeof SyslogConnectionFields>

export const SyslogConnection = extended(CommonConnection, () => ({
  service: z.literal(SYSLOG),
  ...SyslogConnectionFields.shape,
}))

export const SYSLOG_BODIES = connectionBodies(
  { host, port, syslog_params: SyslogParams },
  {
    host: host.optional(),
    port: port.nullable(),
    syslog_params: strictObject(() => ({
      transport: z.enum(TRANSPORTS).optional(),
      ca_cert: ca_cert.nullable(),
      message_format: z.enum(MESSAGE_FORMATS).optional(),
    }))
      .optional()
      .meta({ description: 'absent members stay unchanged' }),
  },
)
export type UnsavedSyslogConnection = z.infer<(typeof SYSLOG_BODIES)['unsaved']>
export type UpdateSyslogConnection = z.infer<(typeof SYSLOG_BODIES)['update']>

export const SYSLOG_CONNECTION_RULES: readonly Rule[] = rulesWithin('syslog_params', SYSLOG_RULES)
