import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { once } from 'node:events'
import { Attribute, Change, Client } from 'ldapts'
import { freePort } from '../../infra/local/table/table.ts'
import { authority } from './certificates.ts'
import { isOpen } from './ports.ts'
import { startScriptedDirectory } from './scripted-directory.ts'

/** A person in a directory. */
export interface DirectoryEntry {
  readonly uid: string
  readonly password: string
  readonly cn?: string
  readonly mail?: string
  /** binary, as in Active Directory */
  readonly objectGUID?: Buffer
}

/** A real directory server on loopback, with people below `ou=people` and groups below `ou=groups`. */
export interface TestDirectory {
  readonly ldaps: string
  /** without TLS, until StartTLS */
  readonly ldap: string
  /** certificate of the authority that issued its certificate */
  readonly caCert: string
  readonly bindDn: string
  readonly bindPassword: string
  /** Replaces the members of a group with the people `members` and the groups `groups`. */
  readonly setGroup: (name: string, members: readonly string[], groups?: readonly string[]) => Promise<void>
  /** A group of Unix accounts, which names its members as they log in. */
  readonly addUnixGroup: (name: string, memberUid: readonly string[]) => Promise<void>
  readonly setMail: (uid: string, mail: string) => Promise<void>
  readonly setPassword: (uid: string, password: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export const BASE = 'o=company'
export const PEOPLE = `ou=people,${BASE}`
export const GROUPS = `ou=groups,${BASE}`
const ROOT = `cn=manager,${BASE}`
const ROOT_PASSWORD = 'manager-of-tests'
const SLAPD = '/usr/sbin/slapd'
const MODULES = '/usr/lib/ldap'
const SCHEMAS = '/etc/ldap/schema'

export const dnOf = (uid: string): string => `uid=${uid},${PEOPLE}`

type Attributes = Record<string, string | string[] | Buffer[]>

/** Attributes of every entry, by the entry's name. */
export function entriesOf(
  people: readonly DirectoryEntry[],
  groups: readonly string[],
): [dn: string, attributes: Attributes][] {
  return [
    [BASE, { objectClass: ['top', 'organization'], o: 'company' }],
    [PEOPLE, { objectClass: 'organizationalUnit', ou: 'people' }],
    [GROUPS, { objectClass: 'organizationalUnit', ou: 'groups' }],
    ...people.map(({ uid, password, cn = uid, mail, objectGUID }): [string, Attributes] => [
      dnOf(uid),
      {
        objectClass: ['inetOrgPerson', ...(objectGUID === undefined ? [] : ['withGuid'])],
        ...{ uid, cn, sn: cn, userPassword: password },
        ...(mail !== undefined && { mail }),
        ...(objectGUID !== undefined && { objectGUID: [objectGUID] }),
      },
    ]),
    ...groups.map((cn): [string, Attributes] => [
      `cn=${cn},${GROUPS}`,
      { objectClass: 'groupOfNames', cn, member: ROOT },
    ]),
  ]
}

const configuration = (folder: string): string => `
include ${SCHEMAS}/core.schema
include ${SCHEMAS}/cosine.schema
include ${SCHEMAS}/inetorgperson.schema
include ${SCHEMAS}/nis.schema
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.99999.1 NAME 'withGuid' AUXILIARY MAY objectGUID )
modulepath ${MODULES}
moduleload back_mdb
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
database mdb
maxsize 16777216
suffix "${BASE}"
rootdn "${ROOT}"
rootpw ${ROOT_PASSWORD}
directory ${folder}/data
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
`

async function startSlapd(): Promise<Pick<TestDirectory, 'ldap' | 'ldaps' | 'caCert' | 'stop'>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keymgr-slapd-'))
  const ca = authority('Directory Authority')
  const { cert, key } = ca.issue('localhost')
  fs.mkdirSync(path.join(folder, 'data'))
  const files = { 'ca.pem': ca.cert, 'cert.pem': cert, 'key.pem': key, 'slapd.conf': configuration(folder) }
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  const [ldapPort, ldapsPort] = [await freePort(), await freePort()]
  const ldap = `ldap://localhost:${ldapPort}`
  const ldaps = `ldaps://localhost:${ldapsPort}`
  const hosts = `ldap://127.0.0.1:${ldapPort} ldaps://127.0.0.1:${ldapsPort}`
  const child = spawn(SLAPD, ['-f', path.join(folder, 'slapd.conf'), '-h', hosts, '-d', 'stats'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000)
      if (said.includes('slapd starting')) resolve()
    })
    void exited.then(() => reject(new Error(`slapd does not start: ${said}`)))
  })
  while (!(await isOpen(ldapPort)) || !(await isOpen(ldapsPort))) continue // it reports this before it listens
  return {
    ldap,
    ldaps,
    caCert: ca.cert,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      fs.rmSync(folder, { recursive: true })
    },
  }
}

type Server = 'slapd' | 'ldapjs'
const isInstalled = fs.existsSync(SLAPD)

/** The directory servers that are installed on this machine. */
export const DIRECTORY_SERVERS: readonly Server[] = isInstalled ? ['slapd', 'ldapjs'] : ['ldapjs']

/**
 * The default is `slapd` if it is installed, else a server based on `ldapjs`; `KEYMGR_TEST_DIRECTORY` or the test can
 * select one.
 */
const usual = (): string => process.env.KEYMGR_TEST_DIRECTORY ?? (isInstalled ? 'slapd' : 'ldapjs')

export async function startDirectory(
  people: readonly DirectoryEntry[],
  groups: readonly string[],
  server: string = usual(),
): Promise<TestDirectory> {
  const served = server === 'slapd' ? await startSlapd() : await startScriptedDirectory(ROOT, ROOT_PASSWORD)
  const manager = new Client({ url: served.ldap })
  await manager.bind(ROOT, ROOT_PASSWORD)
  for (const [dn, attributes] of entriesOf(people, groups))
    await manager.add(
      dn,
      Object.entries(attributes).map(([type, values]) => new Attribute({ type, values: [values].flat() as string[] })),
    )
  const replace = (dn: string, type: string, values: string[]) =>
    manager.modify(dn, new Change({ operation: 'replace', modification: new Attribute({ type, values }) }))
  return {
    ...served,
    bindDn: ROOT,
    bindPassword: ROOT_PASSWORD,
    setGroup: (name, members, inside = []) =>
      replace(`cn=${name},${GROUPS}`, 'member', [
        ...[ROOT, ...members.map(dnOf)],
        ...inside.map((group) => `cn=${group},${GROUPS}`),
      ]),
    addUnixGroup: (cn, memberUid) =>
      manager.add(`cn=${cn},${GROUPS}`, { objectClass: 'posixGroup', cn, gidNumber: '500', memberUid: [...memberUid] }),
    setMail: (uid, mail) => replace(dnOf(uid), 'mail', [mail]),
    setPassword: (uid, password) => replace(dnOf(uid), 'userPassword', [password]),
    stop: async () => {
      await manager.unbind()
      await served.stop()
    },
  }
}
