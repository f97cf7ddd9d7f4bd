import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { commonFields, resourceUri, ROOT_DOMAIN_ID, uuid } from '../shared/base/ids.ts'
import { readCertificate } from '../shared/crypto/x509/certificate.ts'
import { clients } from '../shared/identity/clients/store.ts'
import { Changes } from '../shared/store/changes.ts'
import { itemKey } from '../shared/store/layout.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { assertStatus, bareClient, NO_CONTEXT, read, startService, type BenchService } from './service.ts'

interface Made {
  readonly id: string
  readonly cert: string
  readonly csr: string
}

/** An authority that may certify clients, and a certificate of it. */
async function certified({
  deployment,
  event,
  administrator: as,
}: BenchService): Promise<{ authority: Made; leaf: Made }> {
  const ask = async (method: string, path: string, body: object, status: number): Promise<Made> =>
    read(await deployment.invoke('ca', await event(method, `/api/v1/ca/${path}`, { body, as })), status) as Made
  const { id } = await ask('POST', 'local-cas', { cn: 'Bench Root' }, 201)
  const authority = await ask('POST', `local-cas/${id}/self-sign`, {}, 200)
  await ask('PATCH', `local-cas/${id}`, { allow_client_authentication: true }, 200)
  const { csr } = await ask('POST', 'csr', { cn: 'bench' }, 200)
  return { authority, leaf: await ask('POST', `local-cas/${id}/certs`, { csr, purpose: 'client' }, 201) }
}

/** Registers a client by its record. */
async function register({ authority, leaf }: { authority: Made; leaf: Made }, now: Date): Promise<string> {
  const id = uuid(now)
  const { serialNumber, sha256Fingerprint, notBefore, notAfter } = readCertificate(leaf.cert)
  const changes = new Changes()
  changes.create(clients, ROOT_DOMAIN_ID, {
    ...commonFields(ROOT_DOMAIN_ID, id, resourceUri(ROOT_DOMAIN_ID, 'client-management', 'clients', id), now),
    name: 'bench',
    cert: leaf.cert,
    ca_id: authority.id,
    sha256_fingerprint: sha256Fingerprint,
    not_before: notBefore,
    not_after: notAfter,
    serial_number: serialNumber,
    regtoken_id: uuid(now),
    group_ids: [],
    authentication_mode: 'fingerprint',
  })
  await changes.commit(now)
  return id
}

/**
 * A token for a client through the whole handler, including its audit record, against the minimum: the certificate
 * verified under its authority, the client's record read, a token signed. At least half as fast.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const { event } = service
    const { handler } = await import('../functions/auth/handler.ts')
    const pair = await certified(service)
    const id = await register(pair, service.deployment.clock.now())
    const certificate = new X509Certificate(pair.leaf.cert)
    const logIn = async () => {
      const body = { grant_type: 'client_credential', client_id: id }
      const request = await event('POST', '/api/v1/auth/tokens', { body })
      const clientCert = {
        clientCertPem: certificate.toString(),
        subjectDN: certificate.subject,
        issuerDN: certificate.issuer,
        serialNumber: certificate.serialNumber,
        validity: { notBefore: certificate.validFrom, notAfter: certificate.validTo },
      }
      return { ...request, requestContext: { ...request.requestContext, authentication: { clientCert } } }
    }
    const client = bareClient()
    const { pk, sk } = itemKey(ROOT_DOMAIN_ID, clients.name, id)
    const read = { TableName: process.env.KEYMGR_TABLE, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const claims = Buffer.alloc(800, 'a')
    const outcome = await compare({
      ours: {
        run: async (times) => {
          for (let at = 0; at < times; at++) assertStatus(await handler(await logIn(), NO_CONTEXT), 200)
        },
      },
      bare: {
        run: async (times) => {
          for (let at = 0; at < times; at++) {
            const leaf = new X509Certificate(pair.leaf.cert)
            if (!leaf.verify(new X509Certificate(pair.authority.cert).publicKey)) throw new Error('Not verified')
            await client.send(new GetItemCommand(read))
            sign('sha256', claims, { key: privateKey, dsaEncoding: 'ieee-p1363' })
          }
        },
      },
      rounds: 21,
      turns: 8,
      calls: 20,
    })
    client.destroy()
    return [
      {
        name: 'client grant / verify, read, sign',
        measured: outcome.ratio,
        promise: { atMost: 2 },
        note: versus(outcome),
      },
    ]
  } finally {
    await service.stop()
  }
}
