/** A person of the company, in its identity provider. */
export interface Person {
  readonly sub: string
  /** log-in name */
  readonly email: string
  readonly password: string
  /** their address in the workspace suite, if it differs */
  readonly google_email?: string
}

/** The domain that owns the workspace. */
export const OWNER_DOMAIN = 'shop.example.test'

const person = (number: number, email: string, more: Partial<Person> = {}): Person => ({
  sub: `00u${String(number).padStart(17, '0')}`,
  email,
  password: `password of ${email}`,
  ...more,
})

/** Ada and Bob are colleagues, Carol has another address in the suite, and Eve is a guest from another company. */
export const PEOPLE: readonly Person[] = [
  person(1, 'ada@shop.example.test'),
  person(2, 'bob@shop.example.test'),
  person(3, 'carol@staff.example.test', { google_email: 'carol@shop.example.test' }),
  person(4, 'eve@bank.example.test'),
]

export const personNamed = (email: string): Person | undefined =>
  PEOPLE.find((each) => each.email === email.toLowerCase())
