import * as z from 'zod'

const LABEL = /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/
const CHARACTERS_MOST = 253
const PORT = /^[1-9]\d{0,4}$/
const PORT_MOST = 65_535

const isHostName = (text: string): boolean =>
  text.length <= CHARACTERS_MOST && text.split('.').every((label) => LABEL.test(label))

/** A DNS host name. */
export const HostName = z
  .string()
  .min(1)
  .max(CHARACTERS_MOST)
  .refine(isHostName, { error: 'must be a DNS host name, without scheme, port or path' })

/** A DNS host name, with `:<port>` unless the port is 443. */
export const HostNameWithPort = z
  .string()
  .min(1)
  .max(CHARACTERS_MOST + ':65535'.length)
  .refine(
    (text) => {
      const [host = '', port, ...more] = text.split(':')
      const isPort = port === undefined || (PORT.test(port) && Number(port) <= PORT_MOST)
      return more.length === 0 && isHostName(host) && isPort
    },
    { error: 'must be a DNS host name, with :<port> for a port other than 443, without scheme or path' },
  )
