/** Generated from the API description by `npm run describe`. */

export const createSyslogConnection = {"products":{"kind":"lines"},"host":{"isRequired":true},"port":{"kind":"number"},"syslog_params/transport":{"isRequired":true,"words":["udp","tcp","tls"]},"syslog_params/message_format":{"words":["rfc5424","plain_message","cef","leef"]},"name":{"isRequired":true}} as const
