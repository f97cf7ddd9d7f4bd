import { privateDecrypt, constants, createDecipheriv, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { DataPlaneTests, type PlaneAnswer } from '../../support/data-plane.ts'
import { PAIR } from '../crm/crm.ts'

const HOST = 'keys.example.test'
/** The headers of the platform's calls. */
const HEADERS = {
  'user-agent': 'SFDC-Callout/60.0',
  accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'cache-control': 'no-cache',
  pragma: 'no-cache',
}

export const basic = ({ username, password }: typeof PAIR): string =>
  `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`

/** The data plane, as the platform calls it. */
export class CrmKeysTests extends DataPlaneTests {
  protected readonly plane = 'crm-keys'
  protected readonly host = HOST

  /** @param authorization default: the right pair; empty for none */
  fetch(endpoint: string, kid: string, query = '', authorization = basic(PAIR)): Promise<PlaneAnswer> {
    return this.get(`/v1/keymgr/crm/endpoints/${endpoint}/keys/${kid}${query}`, authorization)
  }

  get(target: string, authorization = basic(PAIR), method = 'GET'): Promise<PlaneAnswer> {
    const headers = { ...HEADERS, ...(authorization !== '' && { authorization }) }
    return this.send(method, target, undefined, headers)
  }
}

/** Parts of a compact JWE, in bytes. */
export const partsOf = (jwe: string): Buffer[] => jwe.split('.').map((part) => Buffer.from(part, 'base64url'))

/** Opens a JWE as RFC 7516 describes, only with the runtime. */
export function opened(jwe: string, key: KeyObject): Buffer {
  const [, wrapped, iv, text, tag] = partsOf(jwe)
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' }
  const content = privateDecrypt({ key, ...padding }, wrapped ?? Buffer.alloc(0))
  const decipher = createDecipheriv('aes-256-gcm', content, iv ?? Buffer.alloc(0))
  decipher.setAAD(Buffer.from(jwe.split('.')[0] ?? '', 'ascii'))
  decipher.setAuthTag(tag ?? Buffer.alloc(0))
  return Buffer.concat([decipher.update(text ?? Buffer.alloc(0)), decipher.final()])
}

export const newPair = (): { publicKey: KeyObject; privateKey: KeyObject } =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 })
