import * as z from 'zod'
import { Name, NameOrId, Resource, Time, Uuid } from '../../../http/common-fields.ts'
import { anyOf, anyPatterns, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { withRules, type Rule } from '../../../http/rules.ts'
import { extended, object, strictObject } from '../../../base/lazy-fields.ts'
import { MESSAGE_FORMATS, TRANSPORTS } from '../format/model.ts'

const FORWARDER_TYPES = ['syslog', 'webhook'] as const

/** Kinds of records to send. */
export const ForwardLogs = strictObject(() => ({
  server_audit_records: z.boolean().default(true),
  client_audit_records: z.boolean().default(true).meta({ description: 'of registered clients' }),
  activity_logs: z.boolean().default(true).meta({ description: 'of data planes: uses of keys by clouds' }),
}))

const SyslogParams = strictObject(() => ({ forward_logs: ForwardLogs.prefault({}) }))
const Url = z.url().max(2_048)
/** Ours: at least as long as the hash for which it is the key, at most 256. */
const Secret = z.string().min(32).max(256).meta({ writeOnly: true, description: 'key of the signatures; never shown' })

/** Progress of a target. */
const Delivery = {
  last_error: z.string().optional().meta({ description: 'code of the last failure; absent once a batch is delivered' }),
  last_sent_at: Time.optional(),
}

/** A target for all records of a domain. Ours: signed webhooks, in addition to syslog. */
export const LogForwarder = extended(Resource, () => ({
  name: z.string(),
  type: z.enum(FORWARDER_TYPES),
  enabled: z.boolean(),
  connection_id: Uuid.optional().meta({ description: 'of type syslog; absent when its connection was deleted' }),
  syslog_params: SyslogParams.optional(),
  webhook_params: z.object({ url: z.string(), forward_logs: ForwardLogs }).optional(),
  ...Delivery,
}))

export const ForwarderPath = strictObject(() => ({ id: NameOrId.meta({ description: 'id or name' }) }))

const withType = (field: string, type: (typeof FORWARDER_TYPES)[number]): Rule => ({
  message: `${field} goes with type ${type} only`,
  field,
  broken: (body) => body[field] !== undefined && body.type !== type,
})
const ofType = (field: string, type: (typeof FORWARDER_TYPES)[number]): Rule => ({
  message: `${field} is required for type ${type}`,
  field,
  broken: (body) => body[field] === undefined && body.type === type,
})

export const CreateLogForwarder = withRules(
  strictObject(() => ({
    name: Name,
    type: z.enum(FORWARDER_TYPES),
    enabled: z.boolean().default(true),
    connection_id: NameOrId.optional().meta({ description: 'id or name of a connection to log-forwarders/syslog' }),
    syslog_params: SyslogParams.optional(),
    webhook_params: z.strictObject({ url: Url, secret: Secret, forward_logs: ForwardLogs.prefault({}) }).optional(),
  })),
  ofType('connection_id', 'syslog'),
  ofType('webhook_params', 'webhook'),
  withType('connection_id', 'syslog'),
  withType('syslog_params', 'syslog'),
  withType('webhook_params', 'webhook'),
)

export const UpdateLogForwarder = strictObject(() => ({
  enabled: z.boolean().optional(),
  connection_id: NameOrId.optional(),
  syslog_params: SyslogParams.optional(),
  webhook_params: z
    .strictObject({ url: Url.optional(), secret: Secret.optional(), forward_logs: ForwardLogs.optional() })
    .optional()
    .meta({ description: 'absent members stay unchanged' }),
}))
export type UpdateLogForwarder = z.infer<typeof UpdateLogForwarder>

export const LogForwarderQuery = listQuery(LogForwarder, () => ({
  ...anyPatterns('name'),
  ...anyTexts('id'),
  type: anyOf(FORWARDER_TYPES).optional(),
  enabled: flag().optional(),
}))

const PEM_CHARACTERS = 65_536
/** A name or an address. */
const Host = z.string().regex(/^[\w.:-]{1,253}$/, { error: 'must be a host name or an address' })

/** Fields of a syslog server. */
export const SYSLOG_FIELDS = {
  host: Host,
  port: z.int().min(1).max(65_535).optional().meta({ description: '514 for udp, 601 for tcp, 6514 for tls' }),
  transport: z.enum(TRANSPORTS),
  ca_cert: z.string().max(PEM_CHARACTERS).optional().meta({ description: 'PEM of the authority of the server' }),
  message_format: z.enum(MESSAGE_FORMATS).default('rfc5424'),
}

/** Rules of a syslog server's fields. */
export const SYSLOG_RULES: readonly Rule[] = [
  {
    message: 'ca_cert goes with transport tls, which needs it',
    field: 'ca_cert',
    broken: ({ transport, ca_cert }) => (transport === 'tls') !== (ca_cert !== undefined && ca_cert !== null),
  },
]

/** A syslog server without a connection, which receives all records of a domain. */
export const PlainSyslog = Resource.extend({ ...SYSLOG_FIELDS, ...Delivery })
export const CreatePlainSyslog = withRules(z.strictObject(SYSLOG_FIELDS), ...SYSLOG_RULES)
export const UpdatePlainSyslog = strictObject(() => ({
  host: Host.optional(),
  port: SYSLOG_FIELDS.port.nullable(),
  transport: z.enum(TRANSPORTS).optional(),
  ca_cert: SYSLOG_FIELDS.ca_cert.nullable(),
  message_format: z.enum(MESSAGE_FORMATS).optional(),
})).meta({ description: 'The rules of creation hold for the server as it is afterwards.' })
export const PlainSyslogQuery = listQuery(PlainSyslog, () => ({
  ...anyTexts('id', 'host'),
  transport: anyOf(TRANSPORTS).optional(),
}))

/** Whether child domains' records are sent to the targets of the root domain. */
export const Redirection = object(() => ({ enabled: z.boolean() }))
