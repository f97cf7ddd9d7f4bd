import type { AnswerOf } from '../../../sdk/calls.ts'
import { callTo } from '../../calls.ts'
import type { ConnectionRow } from '../../connections/row.ts'
import { described } from '../../forms/fields.ts'
import { firstOf, keymgr } from '../../service.ts'
import { createCrmConnection } from './described.ts'

export const CONNECTION: ConnectionRow = {
  service: 'crm',
  name: 'crm',
  title: 'Crm',
  about: 'Tenant secrets of an organization.',
  fields: described(createCrmConnection, [
    { name: 'client_id', label: 'Consumer key', hint: 'Of the app in the organization.' },
    { name: 'username', label: 'User name', hint: 'In the form of a mail address.' },
  ]),
  ways: [
    {
      title: 'Certificate made here',
      adds: { is_certificate_used: true },
      isMadeHere: true,
      isOf: (connection) => 'is_certificate_used' in connection && connection.is_certificate_used,
      fields: described(createCrmConnection, [
        {
          ...{ name: 'cert_duration', label: 'Valid for (days)', min: 1 },
          hint: 'The page of the connection shows the certificate. Upload it to the app, approve the user, then test.',
        },
      ]),
    },
    {
      title: 'Password',
      isOf: (connection) => !('is_certificate_used' in connection && connection.is_certificate_used),
      fields: described(createCrmConnection, [
        { name: 'client_secret', label: 'Consumer secret', isRequired: true },
        {
          ...{ name: 'password', label: 'Password', kind: 'secret', isRequired: true },
          hint: 'Directly followed by the security token.',
        },
      ]),
    },
  ],
  rest: described(createCrmConnection, [
    { name: 'cloud_name', label: 'Edition' },
    {
      name: 'login_host',
      label: 'Log-in host',
      hint: "Of the organization's own domain; that of the edition without it.",
    },
    { name: 'wrap_hash', label: 'Hash for wrapped material' },
  ]),
  help: [
    {
      title: 'What crm must allow',
      steps: [
        'Make an app with access to the API. It shows its consumer key and its secret.',
        'With a certificate, which is recommended: upload it to the app, and approve the user for the app.',
        'Give the user API Enabled, Manage Encryption Keys, Manage Certificates, Customize Application, and View Setup and Configuration; for reports, View Event Log Files.',
      ],
    },
  ],
  faults: [
    {
      matches: /authentication failure/i,
      step: 'log_in',
      next: [
        'The password is followed by the security token, without a space.',
        'New organizations block log-ins by password: use a certificate.',
      ],
    },
    {
      matches: /approved this consumer/i,
      step: 'log_in',
      next: ['Approve the user for the app, in its policies at the cloud.'],
    },
    {
      matches: /invalid_client|invalid assertion/i,
      step: 'log_in',
      next: ['Check the consumer key and the secret, or the certificate of the app.'],
    },
    {
      matches: /API_DISABLED|API_CURRENTLY_DISABLED|INSUFFICIENT_ACCESS|INVALID_TYPE/i,
      step: 'permission',
      next: ['Give the user the permissions that are listed here.'],
    },
  ],
  finding: {
    noun: 'organization',
    nothing: 'The user sees no organization.',
    find: async (connection, _path, signal) => {
      const found = await keymgr.post('/v1/keymgr/crm/get-organizations', { body: { connection }, signal })
      const { organization_id: id, name: title, type: detail } = found
      const { resources } = await firstOf('/v1/keymgr/crm/organizations', { organization_id: [id] }, signal)
      return [{ id, title, detail, isAdded: resources.length > 0 }]
    },
    add: (connection, ticked) =>
      ticked.map(({ id: organization_id }) =>
        callTo('post', '/v1/keymgr/crm/add-organizations', { body: { connection, organization_id } }),
      ),
    namesIn: (answer) => [(answer as AnswerOf<'post', '/v1/keymgr/crm/add-organizations'>).id],
  },
}
