/** Alerts with which this server refuses a client. @see RFC 8446 §6.2 */
export type AlertName =
  | 'unexpected_message'
  | 'bad_record_mac'
  | 'record_overflow'
  | 'handshake_failure'
  | 'illegal_parameter'
  | 'decode_error'
  | 'decrypt_error'
  | 'protocol_version'
  | 'internal_error'
  | 'inappropriate_fallback'
  | 'missing_extension'

/** Ends a connection. The alert is for records: the callers carry refusals in their own form. */
export class TlsRefusal extends Error {
  override readonly name = 'TlsRefusal'
  readonly alert: AlertName
  constructor(alert: AlertName) {
    super(`refused with ${alert}`)
    this.alert = alert
  }
}

/** The client ended the connection with an alert. @see RFC 8446 §6 */
export class PeerAlert extends Error {
  override readonly name = 'PeerAlert'
  readonly code: number
  constructor(code: number) {
    super(`the client sent alert ${code}`)
    this.code = code
  }
}
