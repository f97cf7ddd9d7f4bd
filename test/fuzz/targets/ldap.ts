import { directoryAddress, faultOfDirectory } from '../../../shared/identity/connections/ldap/address.ts'
import { idIn, textsIn } from '../../../shared/identity/connections/ldap/values.ts'
import { filled, manyMembers, nestedDer, type Target } from '../target.ts'

/** The parts of a directory that the service reads without a connection: addresses, and the values of an entry. */
export const target: Target = {
  parse: (bytes) => {
    const text = bytes.toString('latin1')
    directoryAddress(text)
    faultOfDirectory(text, true)
    const entry = { dn: text, cn: [bytes], objectGUID: bytes }
    textsIn(entry, 'CN')
    idIn(entry, 'objectguid')
  },
  seeds: () => ['ldap://directory.example.test', 'ldaps://[::1]:636/', 'ldap://a.test:389?x'],
  shapes: () => ({
    slashes: filled('/', 'ldap:'),
    dots: filled('a.', 'ldap://'),
    colons: filled(':', 'ldap://['),
    percent: filled('%41', 'ldap://'),
    'nested sequences': nestedDer(0x30),
    'many members': manyMembers(0x30, Buffer.of(5, 0)),
  }),
}
