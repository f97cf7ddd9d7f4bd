import { Refusal } from '../../../base/errors.ts'
import { base64In } from '../../../base/base64.ts'
import { fieldsOf, jsonOf } from '../../../base/json.ts'
import { errorFields, log } from '../../../base/log.ts'
import { sendGuarded } from '../../../base/network/guarded-fetch.ts'
import { isLoopbackAllowed } from '../loopback.ts'
import { KaclsRefusal } from './errors.ts'

const KEY_BYTES = 128

/** Body of a request to another service. */
interface Asked {
  readonly authentication: string
  readonly wrapped_key: string
  readonly resource_name: string
  readonly reason: string
}

/**
 * The key in a blob that another service wrapped; zero it after use.
 * @param url of the service: one that the endpoint lists
 * @throws KaclsRefusal PEER_FAILED, whatever the service answers: its text is only logged
 */
export async function unwrappedBy(url: string, asked: Asked): Promise<Buffer> {
  try {
    const reply = await sendGuarded(
      new URL(`${url}/privilegedunwrap`),
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(asked),
      },
      { allowsLoopback: isLoopbackAllowed() },
    )
    const { key } = fieldsOf(jsonOf(reply.body))
    const bytes = typeof key === 'string' ? base64In(key) : undefined
    if (reply.status === 200 && bytes !== undefined && bytes.length > 0 && bytes.length <= KEY_BYTES) return bytes
    throw new Error(`The other key service answered with ${reply.status}`)
  } catch (error) {
    log('warn', 'another key service did not unwrap a key', { address: new URL(url).host, ...errorFields(error) })
    throw error instanceof Refusal ? error : new KaclsRefusal('PEER_FAILED')
  }
}
