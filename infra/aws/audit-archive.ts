import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { CfnRule } from 'aws-cdk-lib/aws-events'
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnDeliveryStream } from 'aws-cdk-lib/aws-kinesisfirehose'
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  ObjectLockRetention,
  ObjectOwnership,
  CfnBucket,
} from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import { excuse } from './excuse.ts'

interface AuditArchiveProps {
  readonly busName: string
  /** Days for which an object can be neither changed nor removed. */
  readonly days: number
}

/** Source of the events for audit records (`shared/audit/log/bus.ts`). */
const AUDIT_SOURCE = 'keymgr.audit'

/** The stream writes an object when the waiting data reaches this size or age. */
const BUFFERING = { sizeInMBs: 5, intervalInSeconds: 60 }

/**
 * Every audit record that reaches the bus, as a line of JSON in a bucket with object lock in compliance mode: until the
 * retention ends, not even the account's root user can remove an object.
 */
export class AuditArchive extends Construct {
  constructor(scope: Construct, id: string, { busName, days }: AuditArchiveProps) {
    super(scope, id)
    const stream = this.stream(this.bucket(days))
    new CfnRule(this, 'Rule', {
      eventBusName: busName,
      description: 'keymgr: audit records into the archive',
      eventPattern: { source: [AUDIT_SOURCE] },
      targets: [{ id: 'archive', arn: stream.attrArn, roleArn: this.senderTo(stream).roleArn }],
    })
  }

  private bucket(days: number): Bucket {
    const bucket = new Bucket(this, 'Records', {
      objectLockEnabled: true,
      objectLockDefaultRetention: ObjectLockRetention.compliance(Duration.days(days)),
      versioned: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED, // records contain no key material
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    excuse(bucket, 'AwsSolutions-S1', 'It is itself a log, which only its stream writes.')
    return bucket
  }

  private stream(bucket: Bucket): CfnDeliveryStream {
    const writes = new Policy(this, 'Writes', {
      statements: [
        new PolicyStatement({
          actions: ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'],
          resources: [bucket.bucketArn],
        }),
        new PolicyStatement({
          actions: ['s3:PutObject', 's3:AbortMultipartUpload'],
          resources: [bucket.arnForObjects('*')],
        }),
      ],
    })
    const { defaultChild } = bucket.node
    if (!(defaultChild instanceof CfnBucket)) throw new Error('The bucket has no resource')
    const logicalId = String(Stack.of(this).resolve(defaultChild.logicalId))
    excuse(
      writes,
      `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/*]`,
      'Objects get their names when they are written.',
    )
    const role = this.role('StreamRole', 'firehose.amazonaws.com', writes)
    const stream = new CfnDeliveryStream(this, 'Stream', {
      deliveryStreamType: 'DirectPut',
      deliveryStreamEncryptionConfigurationInput: { keyType: 'AWS_OWNED_CMK' },
      extendedS3DestinationConfiguration: {
        bucketArn: bucket.bucketArn,
        roleArn: role.roleArn,
        bufferingHints: BUFFERING,
        compressionFormat: 'GZIP',
        prefix: 'audit/!{timestamp:yyyy/MM/dd}/',
        errorOutputPrefix: 'failed/!{firehose:error-output-type}/!{timestamp:yyyy/MM/dd}/',
      },
    })
    stream.node.addDependency(writes)
    return stream
  }

  private senderTo(stream: CfnDeliveryStream): Role {
    const sends = new Policy(this, 'Sends', {
      statements: [
        new PolicyStatement({
          actions: ['firehose:PutRecord', 'firehose:PutRecordBatch'],
          resources: [stream.attrArn],
        }),
      ],
    })
    return this.role('RuleRole', 'events.amazonaws.com', sends)
  }

  /** A role for a service, which may assume it for this account only. */
  private role(id: string, service: string, policy: Policy): Role {
    const role = new Role(this, id, {
      assumedBy: new ServicePrincipal(service, {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    })
    policy.attachToRole(role)
    return role
  }
}
