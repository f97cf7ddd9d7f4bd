import { CloudFailure, presentable, retryAfterMs } from '../../../cloud/adapter/failures.ts'
import type { CloudReply } from '../../../cloud/adapter/transport.ts'
import { calling } from './client.ts'
import type { CrmCertificateSpec, CrmPlace } from './types.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** All fields are given: omitted ones mean a key of 2048 bits that can be exported. */
const envelope = (token: string, { name, exportable, platform_encryption }: CrmCertificateSpec): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:met="http://soap.sforce.com/2006/04/metadata">
<soapenv:Header><met:SessionHeader><met:sessionId>${escaped(token)}</met:sessionId></met:SessionHeader></soapenv:Header>
<soapenv:Body><met:createMetadata><met:metadata xsi:type="met:Certificate">
<met:fullName>${escaped(name)}</met:fullName><met:caSigned>false</met:caSigned>
<met:encryptedWithPlatformEncryption>${String(platform_encryption)}</met:encryptedWithPlatformEncryption>
<met:keySize>4096</met:keySize><met:masterLabel>${escaped(name.slice(0, 64))}</met:masterLabel>
<met:privateKeyExportable>${String(exportable)}</met:privateKeyExportable>
</met:metadata></met:createMetadata></soapenv:Body></soapenv:Envelope>`

/** The text of the first element of a name, whatever its prefix. */
const textOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>([^<]*)</`).exec(xml)?.[1]?.trim()

/** @throws CloudFailure unless the answer reports a creation */
function readCreated({ status, headers, text }: CloudReply): void {
  if (status === 200 && textOf(text, 'success') === 'true') return
  const code = textOf(text, 'statusCode') ?? textOf(text, 'faultcode')?.replace(/^\w+:/, '') ?? `HTTP ${status}`
  const message = presentable(textOf(text, 'message') ?? textOf(text, 'faultstring') ?? '', /[A-Za-z0-9+/=!.]{60,}/g)
  throw new CloudFailure(code, message, status === 200 ? 400 : status, retryAfterMs(headers['retry-after']))
}

/** Makes a self-signed certificate; the cloud keeps its key. @throws Refusal CLOUD_… */
export async function createMetadata(place: CrmPlace, spec: CrmCertificateSpec): Promise<void> {
  const path = `/services/Soap/m/${place.connection.api_version}`
  const headers = { 'content-type': 'text/xml; charset=UTF-8', accept: 'text/xml', soapaction: '""' }
  await calling(place, { method: 'POST', path, body: (token) => envelope(token, spec), headers }, readCreated)
}
