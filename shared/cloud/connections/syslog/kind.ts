import { assertHost, reach } from '../../../audit/forwarding/forwarders/addresses.ts'
import { NotDelivered } from '../../../audit/forwarding/send/not-delivered.ts'
import { sendMessages, USUAL_PORTS } from '../../../audit/forwarding/send/send-syslog.ts'
import { Refusal } from '../../../base/errors.ts'
import { defined, patched } from '../../../base/fields.ts'
import { assertRules, type ConnectionKind } from '../kind.ts'
import {
  SYSLOG_BODIES,
  SYSLOG_CONNECTION_RULES,
  SyslogConnection,
  type SyslogConnectionFields,
  type UnsavedSyslogConnection,
  type UpdateSyslogConnection,
} from './model.ts'

const fieldsOf = ({ host, port, syslog_params }: SyslogConnectionFields): SyslogConnectionFields => ({
  host,
  ...defined({ port }),
  syslog_params,
})

/** Priority 110: log audit, informational. RFC 5424 §6.2.3: a missing time is a dash. */
const TEST_LINE = '<110>1 - - keymgr - connectionmgmt - Test Connection'

/** Connections to syslog servers: an address and a format, without credentials. */
export const syslogConnectionKind: ConnectionKind<
  SyslogConnectionFields,
  UnsavedSyslogConnection,
  UpdateSyslogConnection
> = {
  bodies: SYSLOG_BODIES,
  shown: SyslogConnection,
  category: 'log-forwarder',
  rules: SYSLOG_CONNECTION_RULES,
  fieldsOf,
  made: (_taken, body) => {
    assertHost(body.host)
    const { port = USUAL_PORTS[body.syslog_params.transport], ...fields } = fieldsOf(body)
    return { fields: { ...fields, port } }
  },
  changed: (_taken, before, { host, port, syslog_params = {} }) => {
    const isUsual = before.port === USUAL_PORTS[before.syslog_params.transport]
    const params = patched<SyslogConnectionFields['syslog_params']>(before.syslog_params, syslog_params)
    const usual = USUAL_PORTS[params.transport] // follows the transport unless a caller gave another port
    const fields = patched(fieldsOf(before), {
      host,
      port: port === null ? usual : (port ?? (isUsual ? usual : undefined)),
      syslog_params: params,
    })
    assertRules(SYSLOG_CONNECTION_RULES, { ...fields })
    assertHost(fields.host)
    return { fields }
  },
  entryOf: fieldsOf,
  test: async ({ host, port, syslog_params }) => {
    try {
      await sendMessages({ host, port, ...syslog_params }, [TEST_LINE], reach())
    } catch (error) {
      if (!(error instanceof NotDelivered)) throw error
      throw new Refusal('CLOUD_UNAVAILABLE', `The syslog server takes no message: ${error.message}.`, { cause: error })
    }
  },
  audited: ['host', 'port', 'syslog_params'],
}
