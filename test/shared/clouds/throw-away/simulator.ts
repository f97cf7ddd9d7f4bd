import { constants, generateKeyPairSync, privateDecrypt, randomBytes, randomUUID } from 'node:crypto'
import { serveHttp, type HttpAnswer, type HttpRequest } from '../../../../infra/simulators/toolkit/loopback.ts'

interface SimulatedKey {
  readonly id: string
  readonly mark: string
  label: string
  enabled: boolean
  readonly material: Buffer
}

/** The cloud: keys in boxes, accessible with one token. Imported material is wrapped with its import key. */
export async function startThrowAway(names: readonly string[], token: string) {
  const boxes = new Map(names.map((name) => [name, new Map<string, SimulatedKey>()] as const))
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  let refusesChanges = false

  const unwrapped = (material: string): Buffer =>
    privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      Buffer.from(material, 'base64'),
    )
  const shown = ({ id, label, mark, enabled }: SimulatedKey): object => ({ id, label, mark, enabled })
  const answer = (status: number, body: object): HttpAnswer => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

  function onKeys(keys: Map<string, SimulatedKey>, id: string | undefined, body: any): HttpAnswer {
    if (id === undefined) {
      if (body === undefined) return answer(200, { keys: [...keys.values()].map(shown) })
      const material = body.material === undefined ? randomBytes(32) : unwrapped(body.material as string)
      const key: SimulatedKey = { id: randomUUID(), mark: body.mark, label: body.label, enabled: true, material }
      keys.set(key.id, key)
      return answer(200, shown(key))
    }
    const key = keys.get(id)
    if (key === undefined) return answer(404, {})
    if (body !== undefined && refusesChanges) return answer(409, {})
    key.label = body?.label ?? key.label
    key.enabled = body?.enabled ?? key.enabled
    return answer(200, shown(key))
  }

  const served = await serveHttp(({ url, headers, body }: HttpRequest) => {
    if (headers.authorization !== `Bearer ${token}`) return Promise.resolve(answer(401, {}))
    const [, first, box = '', , id] = url.split('/').map(decodeURIComponent)
    if (first === 'import-key') return Promise.resolve(answer(200, { pem }))
    const keys = boxes.get(box)
    const given: unknown = body.length === 0 ? undefined : JSON.parse(body.toString('utf8'))
    return Promise.resolve(keys === undefined ? answer(404, {}) : onKeys(keys, id, given))
  })
  return {
    ...served,
    keysIn: (box: string): readonly SimulatedKey[] => [...(boxes.get(box)?.values() ?? [])],
    refuseChanges: (refuses: boolean): void => {
      refusesChanges = refuses
    },
  }
}
