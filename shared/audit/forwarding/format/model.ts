/** Formats of a message. */
export const MESSAGE_FORMATS = ['rfc5424', 'plain_message', 'cef', 'leef'] as const
export type MessageFormat = (typeof MESSAGE_FORMATS)[number]

/** Transports of a message. */
export const TRANSPORTS = ['udp', 'tcp', 'tls'] as const
export type Transport = (typeof TRANSPORTS)[number]
