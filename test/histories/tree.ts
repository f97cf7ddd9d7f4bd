import { leafOf } from '../../shared/audit/platform-record.ts'
import { provesInclusion } from '../../shared/crypto/merkle/proofs.ts'
import { send, type Setting } from './setting.ts'

/** The newest records that are proven one by one; the size of the tree covers all others. */
const PROVEN_ONE_BY_ONE = 40

/**
 * Proves that the audit tree has every record of the log once: its size is the number of records, and the newest
 * records have places of their own in it.
 * @returns the size of the tree
 * @throws Error if a record is absent, doubled, or not proven
 */
export async function proveTree({ deployment, token }: Setting): Promise<number> {
  const get = async (path: string): Promise<any> => {
    const { status, text } = await send(deployment.baseUrl, await token(), { method: 'GET', path: `/v1/audit${path}` })
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text)
  }
  await token()
  await deployment.fire('drain-outbox')
  await deployment.fire('sign-heads')
  const [head] = (await get('/heads?limit=1')).resources as { size: number; root: string }[]
  const { total, resources } = await get(`/records?sort=-createdAt&limit=${PROVEN_ONE_BY_ONE}`)
  if (head === undefined || head.size !== total)
    throw new Error(`The audit log has ${total} records, its tree ${head?.size ?? 0}`)
  const places = new Set<number>()
  for (const record of resources) {
    const { position, tree, path } = await get(`/proofs/inclusion?record=${record.id as string}`)
    places.add(position as number)
    const claim = { index: position, size: tree.size, leaf: leafOf(record), root: Buffer.from(tree.root, 'hex') }
    const hashes = (path as string[]).map((hash) => Buffer.from(hash, 'hex'))
    if (!provesInclusion(claim, hashes)) throw new Error(`The record ${record.id} is not in the tree`)
  }
  if (places.size !== resources.length) throw new Error('Two records have the same place in the tree')
  return head.size
}
